//! The current date, as the day on which results were made.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY_S: u64 = 86_400;

/// Today as "2026-11-26", in UTC.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    day(since.map_or(0, |since| since.as_secs() / DAY_S))
}

/// A day counted from 1 January 1970, by the Gregorian calendar.
fn day(since_1970: u64) -> String {
    let (mut year, mut left) = (1970, since_1970);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    loop {
        let days = if is_leap(year) { 366 } else { 365 };
        if left < days {
            break;
        }
        left -= days;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_by_the_gregorian_calendar() {
        let found = [0, 58, 59, 364, 365, 11_016, 11_017, 20_783].map(day);
        assert_eq!(
            found,
            [
                "1970-01-01",
                "1970-02-28",
                "1970-03-01",
                "1970-12-31",
                "1971-01-01",
                "2000-02-29",
                "2000-03-01",
                "2026-11-26"
            ]
        );
    }
}
