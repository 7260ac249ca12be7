//! The guest's samples (`samples.csv`): its seconds, then free pages by zone and counters.

use crate::files::Files;

const FILE: &str = "samples.csv";
/// The maximum numbers of rows and columns: an hour with five samples a second.
const MOST_ROWS: usize = 18_000;
const MOST_COLUMNS: usize = 400;

/// Samples of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Names of the columns; the first is `mono_s`.
    pub columns: Vec<String>,
    /// A row for each sample.
    pub rows: Vec<Vec<f64>>,
}

impl Samples {
    /// Reads the samples, if there are any. A row that does not fit the header ends them, with a note.
    pub fn read(files: &Files, notes: &mut Vec<String>) -> Option<Samples> {
        let mut lines = (1..).zip(files.get(FILE)?.lines());
        let columns: Vec<String> = lines.next()?.1.split(',').map(str::to_string).collect();
        if columns[0] != "mono_s" || columns.len() > MOST_COLUMNS {
            notes.push(format!(
                "{FILE}:1: the first column must be mono_s, and there are at most {MOST_COLUMNS}; the samples are left out"
            ));
            return None;
        }
        let mut rows = Vec::new();
        for (number, line) in lines {
            let values: Option<Vec<f64>> = line.split(',').map(number_of).collect();
            match values.filter(|values| values.len() == columns.len()) {
                Some(values) if rows.len() < MOST_ROWS => rows.push(values),
                Some(_) => {
                    notes.push(format!(
                        "{FILE}:{number}: only {MOST_ROWS} samples are shown"
                    ));
                    break;
                }
                None => {
                    notes.push(format!(
                        "{FILE}:{number}: this line is not {} numbers; is the file cut off? The samples end before it",
                        columns.len()
                    ));
                    break;
                }
            }
        }
        Some(Samples { columns, rows })
    }
}

fn number_of(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|n: &f64| n.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<Samples>, Vec<String>) {
        let files = Files::new([("a/samples.csv.gz".to_string(), text.to_string())]);
        let mut notes = Vec::new();
        (Samples::read(&files, &mut notes), notes)
    }

    #[test]
    fn reads_samples_up_to_a_truncated_line() {
        let (samples, notes) = read("mono_s,free\n1.5,7\n1.7,8\n1.");
        let samples = samples.expect("two samples");
        assert_eq!(samples.rows, [[1.5, 7.0], [1.7, 8.0]]);
        assert!(notes[0].starts_with("samples.csv:4:"), "{notes:?}");
        assert_eq!(read("mono_s,free\n1.5,7\n").1, Vec::<String>::new());
        assert!(read("time,free\n1,2\n").0.is_none());
        assert!(read("").0.is_none());
    }
}
