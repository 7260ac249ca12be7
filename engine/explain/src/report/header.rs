//! The first line of a report, and the later lines about its request.

use crate::report::pairs::{after, leading};
use crate::report::{Announced, At, Report};
use crate::request::Request;

/// The largest order that any kernel has.
const MAX_ORDER: u64 = 20;

/// The first line of a report, and the position where the name of its task ends.
fn announced(row: &str) -> Option<(Announced, usize)> {
    const LINES: [(&str, Announced); 4] = [
        (" invoked oom-killer", Announced::OomKill),
        (": page allocation failure", Announced::Failure),
        (": page allocation stalls", Announced::Stall),
        (" page allocation failure", Announced::Failure),
    ];
    LINES
        .iter()
        .find_map(|(text, what)| Some((*what, row.find(text)?)))
}

/// A new report, if the row begins one.
pub fn begin(row: &str, line: usize) -> Option<(Report, Result<(), String>)> {
    let (what, end) = announced(row)?;
    // Text that only mentions a report has neither a mask nor an order.
    let detail = row.contains("gfp_mask=") || row.contains("order:") || row.contains("mode:");
    if !detail {
        return None;
    }
    let task = row[..end].trim().trim_end_matches(':');
    let mut report = Report {
        line,
        last_line: line,
        announced: Some(what),
        task: task.chars().take(40).collect(),
        ..Report::default()
    };
    if what == Announced::Stall {
        let ms = after(row, "stalls for ");
        report.stalled_ms = ms.map(|(value, _)| At { value, line });
    }
    let done = request(row, line).map(|found| report.request = found);
    more(&mut report, row, line);
    Some((report, done))
}

/// The request in a first line; none for the order -1 of SysRq-f.
fn request(row: &str, line: usize) -> Result<Option<Request>, String> {
    let mask_at = ["gfp_mask=0x", "mode:0x", "gfp_mask=", "mode:"]
        .iter()
        .find_map(|name| Some(row.find(name)? + name.len()));
    let Some(mask_at) = mask_at else {
        return Err("the line has no gfp mask: it may be cut off".to_string());
    };
    let digits = &row[mask_at..];
    let end = digits
        .find(|c: char| !c.is_ascii_hexdigit())
        .unwrap_or(digits.len());
    let mask = u64::from_str_radix(&digits[..end], 16)
        .map_err(|_| "the gfp mask is not a hexadecimal number".to_string())?;
    let names = digits[end..]
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map(|(names, _)| names.to_string());
    if row.contains("order=-1") || row.contains("order:-1") {
        return Ok(None);
    }
    let order = after(row, "order=").or_else(|| after(row, "order:"));
    let Some((order, _)) = order else {
        return Err("the line has no order: it may be cut off".to_string());
    };
    let order = u8::try_from(order)
        .ok()
        .filter(|&o| u64::from(o) <= MAX_ORDER);
    let order = order.ok_or_else(|| format!("no kernel has orders above {MAX_ORDER}"))?;
    Ok(Some(Request {
        line,
        order,
        mask,
        names,
        nodemask: numbers_after(row, "nodemask="),
    }))
}

/// Reads the later lines of a report: the release, the nodes, the constraint, the end. False if the row is
/// another line.
pub fn more(report: &mut Report, row: &str, line: usize) -> bool {
    let mut taken = false;
    if report.release.is_none()
        && let Some(release) = release(row)
    {
        report.release = Some((release, line));
        taken = true;
    }
    if report.mems_allowed.is_none()
        && let Some(nodes) = numbers_after(row, "mems_allowed=")
    {
        report.mems_allowed = Some((nodes, line));
        taken = true;
    }
    if let Some(at) = row.find("oom-kill:constraint=CONSTRAINT_") {
        let rest = &row[at + "oom-kill:constraint=CONSTRAINT_".len()..];
        let name = rest.split(',').next().unwrap_or_default();
        report.constraint = Some((name.chars().take(40).collect(), line));
        if let (Some(request), Some(nodes)) = (&mut report.request, numbers_after(row, "nodemask="))
        {
            request.nodemask.get_or_insert(nodes);
        }
        if let Some(path) = word_after(row, "oom_memcg=") {
            report.group.path = Some((path, line));
        }
        taken = true;
    }
    if row.contains("Out of memory and no killable processes") {
        report.nobody_to_kill.get_or_insert(line);
        taken = true;
    }
    let is_panic = row.contains("Kernel panic") && row.contains("emory");
    if is_panic {
        report
            .panic
            .get_or_insert((row.chars().take(120).collect(), line));
        taken = true;
    }
    taken
}

/// The release after `Not tainted` or `Tainted: G   W`, in the line that names the CPU and the task.
fn release(row: &str) -> Option<String> {
    let at = row.find("ainted")?;
    if !(row.starts_with("CPU:") || row.starts_with("Pid:")) {
        return None;
    }
    let mut words = row[at..].split_whitespace();
    let is_release = |word: &&str| {
        leading(word).is_some_and(|(_, rest)| rest.strip_prefix('.').and_then(leading).is_some())
    };
    let word = words.find(is_release)?;
    Some(word.chars().take(60).collect())
}

fn word_after(row: &str, name: &str) -> Option<String> {
    let rest = &row[row.find(name)? + name.len()..];
    let word = rest.split(',').next()?;
    Some(word.chars().take(200).collect())
}

/// Node numbers such as `0-1,3`; none for `(null)`.
fn numbers_after(row: &str, name: &str) -> Option<Vec<u16>> {
    let rest = &row[row.find(name)? + name.len()..];
    let mut nodes: Vec<u16> = Vec::new();
    let mut rest = rest;
    while let Some((first, more)) = leading(rest) {
        let first = u16::try_from(first).ok()?;
        let (last, more) = match more.strip_prefix('-').and_then(leading) {
            Some((last, more)) => (u16::try_from(last).ok()?, more),
            None => (first, more),
        };
        if last < first || last >= 1024 {
            return None;
        }
        nodes.extend(first..=last);
        // `, order=0` follows a mask, so a comma continues the list only before a digit.
        rest = match more.strip_prefix(',') {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) && nodes.len() < 1024 => {
                rest
            }
            _ => break,
        };
    }
    (!nodes.is_empty()).then_some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_first_line_of_a_report_in_every_era() {
        for (row, task, order, names, nodes) in [
            (
                "Web Content invoked oom-killer: gfp_mask=0x201da, order=0, oom_score_adj=0",
                "Web Content",
                0,
                None,
                None,
            ),
            (
                "a invoked oom-killer: gfp_mask=0x14280ca(GFP_HIGHUSER_MOVABLE|__GFP_ZERO), nodemask=0-1,  order=0, oom_score_adj=0",
                "a",
                0,
                Some("GFP_HIGHUSER_MOVABLE|__GFP_ZERO"),
                Some(vec![0, 1]),
            ),
            (
                "swapper/0: page allocation failure: order:4, mode:0x40a20(GFP_ATOMIC|__GFP_COMP), nodemask=(null),cpuset=/,mems_allowed=0",
                "swapper/0",
                4,
                Some("GFP_ATOMIC|__GFP_COMP"),
                None,
            ),
            (
                "x: page allocation failure. order:2, mode:0x20",
                "x",
                2,
                None,
                None,
            ),
        ] {
            let (report, done) = begin(row, 3).expect(row);
            assert_eq!(done, Ok(()), "{row}");
            let request = report.request.expect(row);
            assert_eq!((report.task.as_str(), request.order), (task, order));
            assert_eq!(request.names.as_deref(), names);
            assert_eq!(request.nodemask, nodes);
        }
        assert!(begin("why is there an invoked oom-killer line?", 1).is_none());
        let (cut, done) = begin("a invoked oom-killer: gfp_mask=0x2", 1).expect("a report");
        assert!(done.expect_err("cut").contains("no order"));
        assert_eq!(cut.request, None);
    }

    #[test]
    fn reads_the_release_of_tainted_and_untainted_kernels() {
        for (row, expected) in [
            (
                "CPU: 0 PID: 1 Comm: wl Not tainted 5.10.0-46-amd64 #1 Debian 5.10.2-1",
                "5.10.0-46-amd64",
            ),
            (
                "CPU: 0 UID: 0 PID: 1 Comm: a b Tainted: G        W  O       6.12.3 #1",
                "6.12.3",
            ),
            (
                "Pid: 7, comm: x Not tainted 2.6.32-5-amd64 #1",
                "2.6.32-5-amd64",
            ),
        ] {
            assert_eq!(release(row).as_deref(), Some(expected));
        }
        assert_eq!(release("Tainted: [W]=WARN, [O]=OOT_MODULE"), None);
    }
}
