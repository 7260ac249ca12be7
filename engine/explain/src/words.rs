//! Numbers and lists in sentences.

/// A number with commas between its thousands.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1,860 kB`.
pub fn kb(value: u64) -> String {
    format!("{} kB", number(value))
}

/// `1 page`, `2 pages`.
pub fn counted(value: u64, noun: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number(value))
}

/// Joins words to a list such as `A, B and C`.
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => (*one).to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A part in whole percent; 0 if the whole is 0.
pub fn percent(part: u64, whole: u64) -> u64 {
    facts::watermark::mul_div(part, 100, whole)
}

/// "12 %", or "less than 1 %" of a nonzero whole.
pub fn share(part: u64, whole: u64) -> String {
    match percent(part, whole) {
        0 if part > 0 => "less than 1 %".to_string(),
        part => format!("{part} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separates_thousands_and_joins_lists() {
        assert_eq!(number(0), "0");
        assert_eq!(number(999), "999");
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(counted(1, "page"), "1 page");
        assert_eq!(list(&["DMA", "DMA32", "Normal"]), "DMA, DMA32 and Normal");
        assert_eq!(percent(3, 4), 75);
        assert_eq!(percent(3, 0), 0);
    }
}
