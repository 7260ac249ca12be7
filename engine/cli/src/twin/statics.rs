//! Prints the comparison of a machine that was captured without a workload.

use std::fmt::Write as _;

use capture::statics::Statics;

/// The comparison as text.
pub fn text(made: &Statics) -> String {
    let mut out = format!(
        "{}: {} as {}\nno run: its zones as printed at boot, and as computed\n\n{:14} {:>9}  {:30} {:30} protection\n",
        made.name, made.release, made.kernel, "zone", "managed", "min, low, high", "computed"
    );
    for zone in &made.zones {
        let _ = writeln!(
            out,
            "{:14} {:>9}  {:30} {:30} {:?}",
            format!("node {} {}", zone.node, zone.zone),
            zone.managed,
            format!("{:?}", zone.marks),
            format!("{:?}", zone.computed),
            zone.protection,
        );
        for differ in &zone.differ {
            let _ = writeln!(out, "  {differ}");
        }
    }
    for caveat in &made.caveats {
        let _ = writeln!(out, "{caveat}");
    }
    if !made.phases.is_empty() {
        let zones: usize = made.phases.iter().map(|phase| phase.zones).sum();
        let lists: usize = made.phases.iter().map(|phase| phase.lists).sum();
        let differ: usize = made.phases.iter().map(|phase| phase.differ.len()).sum();
        let _ = writeln!(
            out,
            "\nafter {} changes of sysctls: marks and protection of {zones} zones and {lists} per-cpu lists compared, {differ} differ",
            made.phases.len()
        );
    }
    for phase in &made.phases {
        for differ in &phase.differ {
            let _ = writeln!(out, "  {}: {differ}", phase.name);
        }
    }
    out
}
