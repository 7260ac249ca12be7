//! Amounts of a workload, converted for a smaller machine, or to numbers instead of shares of memory.
//!
//! Modelled: sizes of regions, files, transfers and blocks; numbers of touches; limits of cgroups.
//! Left out: sizes of single calls (`chunk`) and numbers of rounds, which do not depend on memory.
//! Invariants: a changed amount is at least one page.

use super::compile::{parse_bytes, parse_kib};
use super::{Limit, Size, Step, UNLIMITED, Workload};
use crate::layout::Layout;

/// One amount of a workload.
struct Amount<'a> {
    size: &'a mut Size,
    /// Pages that one unit of the amount stands for: more than one for blocks of an order above 0.
    order: u8,
}

/// A function that gets each amount and the number of the node of its process.
type ForEach<'a> = dyn FnMut(Option<u16>, Amount<'_>) -> Result<(), String> + 'a;

impl Workload {
    /// The same workload with amounts as numbers of pages, or of blocks, of a machine. Shares of memory
    /// become numbers; amounts in bytes do not change.
    ///
    /// # Errors A size that does not follow the rules of the language.
    pub fn absolute(&self, layout: &Layout) -> Result<Workload, String> {
        let mut workload = self.clone();
        let page_kib = layout.geometry.page_kib();
        workload.amounts(&mut |node, amount| {
            let Size::Text(text) = &*amount.size else {
                return Ok(());
            };
            if text.contains('%') {
                let place = node.and_then(|node| layout.nodes.iter().position(|n| n.id == node));
                let kib = parse_kib(layout, place.unwrap_or(0), text)?;
                let pages = kib.div_ceil(page_kib).max(1);
                *amount.size = Size::Pages((pages >> amount.order).max(1));
            }
            Ok(())
        })?;
        for limit in workload.limits() {
            if matches!(limit, Limit::Text(text) if text.contains('%')) {
                *limit = Limit::Pages(limit.pages(layout)?.into());
            }
        }
        Ok(workload)
    }

    /// The same workload for a machine with `small` instead of `large` pages. Shares of memory do not change.
    ///
    /// # Errors A size that does not follow the rules of the language.
    pub fn scaled(&self, layout: &Layout, small: u64, large: u64) -> Result<Workload, String> {
        let mut workload = self.clone();
        let part = |n: u64| {
            let part = u128::from(n) * u128::from(small) / u128::from(large.max(1));
            u64::try_from(part).unwrap_or(u64::MAX).max(1)
        };
        let page_kib = layout.geometry.page_kib();
        workload.amounts(&mut |_, amount| {
            let scaled = match &*amount.size {
                Size::Pages(pages) => Size::Pages(part(*pages)),
                Size::Text(text) if text.contains('%') => return Ok(()),
                Size::Text(text) => match parse_bytes(text) {
                    // Amounts below one page are not shares of memory.
                    Some(sectors) => {
                        sectors?;
                        return Ok(());
                    }
                    None => Size::Pages(part(parse_kib(layout, 0, text)?.div_ceil(page_kib))),
                },
            };
            *amount.size = scaled;
            Ok(())
        })?;
        for limit in workload.limits() {
            let is_share = matches!(limit, Limit::Text(text) if text.contains('%'));
            match limit.pages(layout)? {
                0 | UNLIMITED => {}
                _ if is_share => {}
                pages => *limit = Limit::Pages(part(pages.into())),
            }
        }
        Ok(workload)
    }

    /// The limits of all cgroups that are given.
    fn limits(&mut self) -> impl Iterator<Item = &mut Limit> {
        self.cgroups.iter_mut().flat_map(|cgroup| {
            let all = [
                &mut cgroup.max,
                &mut cgroup.high,
                &mut cgroup.low,
                &mut cgroup.min,
                &mut cgroup.swap_max,
            ];
            all.into_iter().flatten()
        })
    }

    /// Calls a function for every amount, with the number of the node of its process.
    fn amounts(&mut self, each: &mut ForEach<'_>) -> Result<(), String> {
        for file in &mut self.files {
            let size = &mut file.size;
            each(None, Amount { size, order: 0 })?;
        }
        for process in &mut self.processes {
            let node = process.node.and_then(|node| u16::try_from(node).ok());
            of_steps(&mut process.program, &mut |amount| each(node, amount))?;
        }
        Ok(())
    }
}

fn of_steps(
    steps: &mut [Step],
    each: &mut dyn FnMut(Amount) -> Result<(), String>,
) -> Result<(), String> {
    for step in steps {
        let (size, order) = match step {
            Step::Repeat { body, .. } | Step::Sample { body, .. } => {
                of_steps(body, each)?;
                continue;
            }
            Step::Map { size, .. }
            | Step::Touch { pages: size, .. }
            | Step::Read { size, .. }
            | Step::Write { size, .. }
            | Step::Copy { size, .. } => (size.as_mut(), 0),
            Step::Alloc { count, order, .. } => (Some(count), *order),
            Step::Create { size, .. } => (size.as_mut(), 0),
            Step::Access { .. }
            | Step::Lock { .. }
            | Step::Free { .. }
            | Step::Dontneed { .. }
            | Step::Fsync { .. }
            | Step::Unlink { .. }
            | Step::Stat { .. }
            | Step::DropCaches { .. }
            | Step::CompactMemory {}
            | Step::Set { .. }
            | Step::Release { .. }
            | Step::Spawn { .. }
            | Step::Threads { .. }
            | Step::Barrier {}
            | Step::Join {}
            | Step::Wait { .. }
            | Step::Kill { .. }
            | Step::Mark { .. }
            | Step::Stop {}
            | Step::Bind { .. }
            | Step::Affinity { .. }
            | Step::Mempolicy { .. }
            | Step::Think { .. }
            | Step::Compute { .. }
            | Step::Exit {} => continue,
        };
        if let Some(size) = size {
            each(Amount { size, order })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{kernel, profile, read};

    const TEXT: &str = r#"{"id": "w", "files": [{"name": "f", "size": "50%"}], "processes": [
        {"name": "p", "program": [
            {"op": "map", "region": "a", "size": "64 MiB"},
            {"op": "repeat", "times": 2, "do": [
                {"op": "touch", "region": "a", "pages": 1000},
                {"op": "read", "file": "f", "size": "25%", "chunk": "64 KiB"},
                {"op": "alloc", "pool": "x", "order": 3, "count": "50%"}]}]}]}"#;

    fn workload() -> (Workload, Layout) {
        let value = read::parse(TEXT).expect("JSON");
        let machine = profile::find("x86_64-3g-teach").expect("a machine");
        let features = &kernel::find("6.1").expect("a kernel").features;
        let layout = Layout::new(&machine, features);
        (read::read(value, "workload").expect("a workload"), layout)
    }

    #[test]
    fn converts_shares_to_pages_and_blocks_and_leaves_other_fields_unchanged() {
        let (workload, layout) = workload();
        let half = layout.managed() / 2;
        let absolute = workload.absolute(&layout).expect("sizes");
        let json = serde_json::to_value(&absolute).expect("JSON");
        assert_eq!(json["files"][0]["size"], half);
        let program = &json["processes"][0]["program"];
        assert_eq!(program[0]["size"], "64 MiB");
        let body = &program[1]["do"];
        assert_eq!(body[0]["pages"], 1000);
        assert_eq!(body[1]["size"], layout.managed() / 4);
        assert_eq!(body[1]["chunk"], "64 KiB");
        assert_eq!(body[2]["count"], half >> 3);
    }

    #[test]
    fn scales_amounts_but_not_shares_or_call_sizes() {
        let (workload, layout) = workload();
        let scaled = workload.scaled(&layout, 1, 4).expect("sizes");
        let json = serde_json::to_value(&scaled).expect("JSON");
        let program = &json["processes"][0]["program"];
        assert_eq!(json["files"][0]["size"], "50%");
        assert_eq!(program[0]["size"], 4096);
        assert_eq!(program[1]["do"][0]["pages"], 250);
        assert_eq!(program[1]["do"][1]["size"], "25%");
        assert_eq!(program[1]["do"][1]["chunk"], "64 KiB");
    }

    #[test]
    fn scales_limits_of_cgroups_and_leaves_shares_and_max_unchanged() {
        let (mut workload, layout) = workload();
        let text = r#"[{"name": "box", "memory.max": "100 MiB", "memory.high": "max",
            "memory.low": 0, "memory.min": "25%"}]"#;
        let value = read::parse(text).expect("JSON");
        workload.cgroups = read::read(value, "cgroups").expect("cgroups");
        let limits = |workload: &Workload| {
            let value = serde_json::to_value(&workload.cgroups[0]).expect("JSON");
            ["memory.max", "memory.high", "memory.low", "memory.min"]
                .map(|name| value[name].clone())
        };
        let scaled = workload.scaled(&layout, 1, 4).expect("sizes");
        let expected = [json!(6400), json!("max"), json!(0), json!("25%")];
        assert_eq!(limits(&scaled), expected);
        let absolute = workload.absolute(&layout).expect("sizes");
        let [max, high, low, min] = limits(&absolute);
        assert_eq!([max, high, low], [json!("100 MiB"), json!("max"), json!(0)]);
        assert!(min.is_u64(), "{min}");
    }
}
