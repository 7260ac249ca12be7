//! Compiling the files with which a workload begins.
//!
//! Modelled: several files of one name.
//! Left out: nothing.
//! Invariants: the files fit on the device, and their ids are consecutive.

use super::{MOST_KIB, refuse, to_pages};
use crate::layout::Layout;
use crate::view::Refusal;
use crate::workload::{MAX_FILES, MAX_NAME, Workload};

/// Several files of one name: the id of the first file, the number of files, the pages of each.
pub(super) struct Set {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) each: u32,
    pub(super) pages: u32,
    pub(super) absent: bool,
}

/// The files that exist when the run begins.
pub(super) fn file_sets(
    workload: &Workload,
    layout: &Layout,
    room: u64,
    out: &mut Vec<Refusal>,
) -> Vec<Set> {
    let mut first = 0;
    let mut left = room;
    let mut sets = Vec::new();
    for (i, set) in workload.files.iter().enumerate() {
        let path = format!("workload.files[{i}]");
        let same = workload.files[..i].iter().any(|s| s.name == set.name);
        if set.name.is_empty() || set.name.len() > MAX_NAME {
            let reason = "a name must have 1 to 32 characters";
            refuse(out, &format!("{path}.name"), reason);
        } else if same {
            let reason = format!("another file is already called '{}'", set.name);
            refuse(out, &format!("{path}.name"), &reason);
        }
        if set.count == 0 || set.count > MAX_FILES || first + set.count > MAX_FILES {
            let reason = format!("a workload may begin with 1 to {MAX_FILES} files in total");
            refuse(out, &format!("{path}.count"), &reason);
            return sets;
        }
        if set.each == 0 || !set.count.is_multiple_of(set.each) {
            let reason = format!(
                "{} files cannot be divided among tasks with {} each",
                set.count, set.each
            );
            refuse(out, &format!("{path}.each"), &reason);
        }
        let limit = MOST_KIB / layout.geometry.page_kib() / u64::from(set.count);
        let pages = to_pages(layout, 0, &set.size, &format!("{path}.size"), limit, out);
        let wanted = u64::from(pages) * u64::from(set.count);
        if wanted > left {
            refuse(out, &format!("{path}.size"), &too_large(wanted, left));
        }
        left = left.saturating_sub(wanted);
        sets.push(Set {
            first,
            count: set.count,
            each: set.each,
            pages,
            absent: set.absent,
        });
        first += set.count;
    }
    sets
}

pub(super) fn too_large(wanted: u64, room: u64) -> String {
    format!("{wanted} pages are more than the {room} pages that the device for files has left")
}
