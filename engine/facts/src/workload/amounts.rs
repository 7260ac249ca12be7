//! Amounts of a workload, converted for a smaller machine, or to numbers instead of shares of memory.
//!
//! Modelled: sizes of regions, files, transfers and blocks; numbers of touches.
//! Left out: sizes of single calls (`chunk`) and numbers of rounds, which do not depend on memory.
//! Invariants: a changed amount is at least one page.

use super::compile::{parse_bytes, parse_kib};
use super::{Size, Step, Workload};
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
        Ok(workload)
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
}
