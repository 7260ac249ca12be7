//! Rows of the form `name:123kB name:45kB`, and whole numbers in text.

use crate::report::{At, Values};

/// The number at the beginning of a text, and the text after it.
pub fn leading(text: &str) -> Option<(u64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let value = text[..end].parse().ok()?;
    Some((value, &text[end..]))
}

/// The number after a name, as in `order=3,`, and the text after it.
pub fn after<'a>(text: &'a str, name: &str) -> Option<(u64, &'a str)> {
    let at = text.find(name)? + name.len();
    leading(text[at..].trim_start())
}

/// Adds the pairs of a row. The error says why a row is faulty.
pub fn read(row: &str, line: usize, with_unit: bool, into: &mut Values) -> Result<(), String> {
    let mut words = row.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let Some((name, value)) = word.rsplit_once(':') else {
            continue;
        };
        // Some rows have a space after the colon: `shmem_thp: 0kB`.
        let value = match value {
            "" => words.next_if(|next| next.starts_with(|c: char| c.is_ascii_digit())),
            value => Some(value),
        };
        let Some(value) = value.filter(|v| v.starts_with(|c: char| c.is_ascii_digit())) else {
            continue;
        };
        let number = leading(value);
        let (number, unit) = number.ok_or_else(|| {
            let shown: String = value.chars().take(24).collect();
            format!("{name} is {shown}, which is larger than any machine has")
        })?;
        let is_whole = !with_unit || has_unit(unit) || name == "pages_scanned";
        if !is_whole {
            return Err(format!("{name} is cut off: expected a number and kB"));
        }
        let at = At {
            value: number,
            line,
        };
        into.entry(name.to_string()).or_insert(at);
    }
    Ok(())
}

fn has_unit(text: &str) -> bool {
    text.get(..2)
        .is_some_and(|unit| unit.eq_ignore_ascii_case("kb"))
}

/// Whether a row consists only of pairs, as the rest of a row does that a mail program wrapped.
pub fn is_rest(row: &str) -> bool {
    let first = row.split_whitespace().next().unwrap_or_default();
    let value = first.split_once(':').and_then(|(_, value)| leading(value));
    value.is_some_and(|(_, unit)| has_unit(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(row: &str) -> Result<Vec<(String, u64)>, String> {
        let mut values = Values::new();
        read(row, 7, true, &mut values)?;
        Ok(values.into_iter().map(|(k, at)| (k, at.value)).collect())
    }

    #[test]
    fn reads_pairs_with_and_without_a_space() {
        let row = "free:4kB reserved_highatomic:0KB shmem_thp: 12kB isolated(anon):8kB pages_scanned:3 all_unreclaimable? no";
        let expected = [
            ("free", 4),
            ("isolated(anon)", 8),
            ("pages_scanned", 3),
            ("reserved_highatomic", 0),
            ("shmem_thp", 12),
        ];
        let expected = expected.map(|(k, v)| (k.to_string(), v));
        assert_eq!(pairs(row), Ok(expected.to_vec()));
    }

    #[test]
    fn refuses_truncated_and_oversized_numbers() {
        assert!(
            pairs("free:4kB min:12")
                .expect_err("cut")
                .contains("min is cut off")
        );
        let large = pairs("free:99999999999999999999999kB").expect_err("too large");
        assert!(large.contains("larger than any machine"), "{large}");
        assert!(is_rest("low:5kB high:6kB") && !is_rest("lowmem_reserve[]: 0 0"));
    }
}
