//! How far each task had got when the time limit of the real run was reached (`reached.csv`).

use crate::fault::{Outcome, at_line};
use crate::files::Files;

const FILE: &str = "reached.csv";
const HEAD: &str = "task,pc,op,round,done";

/// The position of a task in its compiled program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The task: "hog/1".
    pub task: String,
    /// The number of its operation in the compiled program, from 0.
    pub pc: u64,
    /// The name of that operation.
    pub op: String,
    /// How often it had done the operation before.
    pub round: u64,
    /// How much of the operation was done: touches, accesses, sectors or files.
    pub done: u64,
}

/// The tasks that were alive at the end; none if all had already ended.
///
/// # Errors
/// A line is not a valid position.
pub fn read(files: &Files) -> Outcome<Vec<Reached>> {
    let mut lines = (1..).zip(files.get(FILE).unwrap_or_default().lines());
    if let Some((number, head)) = lines.next()
        && head != HEAD
    {
        return Err(at_line(
            FILE,
            number,
            format!("the first line must be {HEAD}"),
        ));
    }
    let place = |(number, line)| {
        of_line(line).ok_or_else(|| at_line(FILE, number, format!("this line is not {HEAD}")))
    };
    lines.map(place).collect()
}

fn of_line(line: &str) -> Option<Reached> {
    let cells: Vec<&str> = line.split(',').collect();
    let &[task, pc, op, round, done] = cells.as_slice() else {
        return None;
    };
    Some(Reached {
        task: task.to_string(),
        pc: pc.parse().ok()?,
        op: op.to_string(),
        round: round.parse().ok()?,
        done: done.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Outcome<Vec<Reached>> {
        read(&Files::new([(FILE.to_string(), text.to_string())]))
    }

    #[test]
    fn reads_the_position_of_each_task() {
        let reached = of("task,pc,op,round,done\nhog/1,2,touch,1,11971\n").expect("places");
        let hog = Reached {
            task: "hog/1".to_string(),
            pc: 2,
            op: "touch".to_string(),
            round: 1,
            done: 11_971,
        };
        assert_eq!(reached, [hog]);
        assert_eq!(read(&Files::default()), Ok(Vec::new()));
    }

    #[test]
    fn refuses_a_line_without_a_position() {
        let faults = of("task,pc,op,round,done\nhog/1,2,touch,1\n").expect_err("cut off");
        assert_eq!(
            faults[0].to_string(),
            format!("{FILE}:2: this line is not {HEAD}")
        );
        let faults = of("hog/1,2,touch,1,5\n").expect_err("no head");
        assert!(faults[0].reason.starts_with("the first line"), "{faults:?}");
    }
}
