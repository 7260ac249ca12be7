//! Suggests the known name that a misspelled word probably means.

/// The name most similar to a word, if one is similar enough.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.len() / 3).clamp(1, 3);
    names
        .map(|name| {
            let is_start = word.len() > 3 && name.starts_with(word);
            let distance = if is_start { 1 } else { distance(word, name) };
            (distance, name)
        })
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The number of letters that must be changed, inserted, deleted or swapped.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_similar_names() {
        let names = ["first-touch", "many-tasks", "run-out"];
        assert_eq!(
            nearest("frist-touch", names.into_iter()),
            Some("first-touch")
        );
        assert_eq!(nearest("manytasks", names.into_iter()), Some("many-tasks"));
        assert_eq!(nearest("zebra", names.into_iter()), None);
    }
}
