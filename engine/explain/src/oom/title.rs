//! A title for a report, in one sentence.

use crate::document::Kind;
use crate::report::{Announced, Report};
use crate::words::{kb, number};

/// The title of a report, without a full stop.
pub fn title(report: &Report) -> String {
    let task = match report.task.as_str() {
        "" => "a task that the report does not name",
        task => task,
    };
    let size = asked_for(report);
    let killed = match (&report.killed, report.nobody_to_kill, &report.panic) {
        (Some(killed), _, _) => format!("; killed: {} (pid {})", killed.name, killed.pid),
        (None, _, Some(_)) => "; the kernel panicked".to_string(),
        (None, Some(_), None) => "; no process could be killed".to_string(),
        (None, None, None) => String::new(),
    };
    match (report.kind(), report.announced) {
        (Kind::CgroupOom, _) => {
            let path = report.group.path.as_ref();
            let group = path.map_or("a cgroup".to_string(), |(path, _)| format!("cgroup {path}"));
            format!("{group} reached its memory limit when {task} requested {size}{killed}")
        }
        (Kind::OomKill, _) if report.request.is_none() => {
            format!("SysRq-f started the OOM killer in {task}{killed}")
        }
        (Kind::OomKill, _) => format!("out of memory when {task} requested {size}{killed}"),
        (_, Some(Announced::Stall)) => match report.stalled_ms {
            Some(ms) => format!("{task} waited {} ms for {size}", number(ms.value)),
            None => format!("{task} waited a long time for {size}"),
        },
        (Kind::AllocationFailure, _) => format!("{task} requested {size} and did not get it"),
        _ => "the state of memory, without a request".to_string(),
    }
}

/// The size of a request: "16 kB (order 2)".
pub fn asked_for(report: &Report) -> String {
    let Some(request) = &report.request else {
        return "memory".to_string();
    };
    let order = request.order;
    let page_kb = report.page_kb().unwrap_or(4);
    format!("{} (order {order})", kb(page_kb << order))
}
