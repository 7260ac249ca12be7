//! Events of the scheduler as printed by trace-cmd and perf, whose plugins have their own format.
//!
//! Modelled: `sched_switch`, `sched_wakeup` and `sched_wakeup_new` as libtraceevent prints them.
//! Left out: its other plugins, which print no events of memory.

use std::borrow::Cow;

use crate::pairs::Pairs;

/// Keys and values as the kernel would print them; none if the text has a different format.
pub fn pairs<'a>(event: &str, details: &'a str) -> Option<Pairs<'a>> {
    let mut out = Pairs::default();
    match event {
        "sched_switch" => {
            let (before, after) = details.split_once(" ==> ")?;
            let left = task(before, ["prev_comm", "prev_pid", "prev_prio"], &mut out)?;
            out.all.push((Cow::Borrowed("prev_state"), left));
            task(after, ["next_comm", "next_pid", "next_prio"], &mut out)?;
        }
        "sched_wakeup" | "sched_wakeup_new" | "sched_waking" => {
            let left = task(details, ["comm", "pid", "prio"], &mut out)?;
            if let Some((_, cpu)) = left.split_once("CPU:") {
                out.all.push((Cow::Borrowed("target_cpu"), cpu.trim()));
            }
        }
        _ => return None,
    }
    Some(out)
}

/// `comm:pid [prio]`, and the rest of the text.
fn task<'a>(text: &'a str, keys: [&'static str; 3], out: &mut Pairs<'a>) -> Option<&'a str> {
    let (task, rest) = text.split_once(" [")?;
    let (prio, rest) = rest.split_once(']')?;
    let (comm, pid) = task.trim().rsplit_once(':')?;
    pid.parse::<u64>().ok()?;
    for (key, value) in keys.into_iter().zip([comm, pid, prio]) {
        out.all.push((Cow::Borrowed(key), value));
    }
    Some(rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_switches_and_wakeups_printed_by_the_plugin_and_skips_the_kernel_format() {
        let of = |event: &str, details: &str| {
            let all = pairs(event, details)?.all.into_iter();
            Some(
                all.map(|(key, value)| format!("{key}={value}"))
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        };
        let switch = of(
            "sched_switch",
            "kworker/0:1:44 [120] R ==> my prog:77 [100]",
        );
        assert_eq!(
            switch.as_deref(),
            Some(
                "prev_comm=kworker/0:1 prev_pid=44 prev_prio=120 prev_state=R \
                 next_comm=my prog next_pid=77 next_prio=100"
            )
        );
        let wakeup = of("sched_wakeup", "kswapd0:54 [120] success=1 CPU:003");
        assert_eq!(
            wakeup.as_deref(),
            Some("comm=kswapd0 pid=54 prio=120 target_cpu=003")
        );
        assert_eq!(
            of(
                "sched_switch",
                "prev_comm=a prev_pid=1 ==> next_comm=b next_pid=2"
            ),
            None
        );
        assert_eq!(of("mm_page_alloc", "a:1 [120] R ==> b:2 [120]"), None);
    }
}
