//! Operations on files: which file they use, and how much a call moves.

use super::*;

impl<'a> Compiler<'a> {
    /// The number by which the process knows a file, and the file.
    pub(super) fn file(
        &mut self,
        name: &str,
        at: &str,
        out: &mut Vec<Refusal>,
    ) -> Option<(u8, &'a Set)> {
        self.file_at(name, &format!("{at}.file"), out)
    }

    pub(super) fn file_at(
        &mut self,
        name: &str,
        path: &str,
        out: &mut Vec<Refusal>,
    ) -> Option<(u8, &'a Set)> {
        let place = self.workload.files.iter().position(|f| f.name == name);
        let Some(set) = place.and_then(|i| self.sets.get(i)) else {
            let reason = format!("no file of this workload is called '{name}'");
            refuse(out, path, &reason);
            return None;
        };
        let fd = self.fd((set.first, set.count), path, out)?;
        Some((fd, set))
    }

    pub(super) fn fd(&mut self, row: (u32, u32), path: &str, out: &mut Vec<Refusal>) -> Option<u8> {
        let known = self.files.iter().position(|&f| f == row);
        let fd = known.unwrap_or(self.files.len());
        if fd >= MAX_FDS {
            let reason = format!("one process may name at most {MAX_FDS} files");
            refuse(out, path, &reason);
            return None;
        }
        if known.is_none() {
            self.files.push(row);
            self.own.push(self.own_of(row).unwrap_or(0));
        }
        Some(fd as u8)
    }

    pub(super) fn transfer(
        &mut self,
        file: &str,
        write: bool,
        (size, chunk): (Option<&Size>, Option<&Size>),
        pattern: Pattern,
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        let Some((fd, set)) = self.file(file, at, out) else {
            return;
        };
        let all = self.sectors_of(set);
        let sectors = size.map_or(all, |s| self.sectors(s, &format!("{at}.size"), out));
        let chunk = chunk.map_or(CHUNK, |s| self.sectors(s, &format!("{at}.chunk"), out));
        self.ops.push(Op::Transfer {
            fd,
            write,
            sectors,
            chunk,
            pattern,
        });
    }

    pub(super) fn copy(
        &mut self,
        from: &str,
        to: &str,
        (size, chunk): (Option<&Size>, Option<&Size>),
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        let source = self.file_at(from, &format!("{at}.from"), out);
        let target = self.file_at(to, &format!("{at}.to"), out);
        let (Some((from, set)), Some((to, _))) = (source, target) else {
            return;
        };
        if from == to {
            return refuse(
                out,
                &format!("{at}.to"),
                "a file cannot be copied to itself",
            );
        }
        let all = self.sectors_of(set);
        let sectors = size.map_or(all, |s| self.sectors(s, &format!("{at}.size"), out));
        let chunk = chunk.map_or(1, |s| self.sectors(s, &format!("{at}.chunk"), out));
        self.ops.push(Op::Copy {
            from,
            to,
            sectors,
            chunk,
        });
    }

    /// Sectors of all files of one name; if an instance uses only some of them, the sectors of those.
    pub(super) fn sectors_of(&self, set: &Set) -> u32 {
        let own = self.own_of((set.first, set.count));
        let pages = set.pages * own.unwrap_or(set.count);
        pages * self.layout.geometry.page_kib() as u32 * SECTORS_PER_KIB as u32
    }

    /// How many files of this name each instance uses; none if each uses all.
    pub(super) fn own_of(&self, row: (u32, u32)) -> Option<u32> {
        let named = |name: &String| {
            let place = self.workload.files.iter().position(|f| f.name == *name);
            let set = place.and_then(|i| self.sets.get(i))?;
            (row.1 > 0 && (set.first, set.count) == row).then_some(set.each)
        };
        self.process.own.iter().find_map(named)
    }

    pub(super) fn own(&self, path: &str, out: &mut Vec<Refusal>) {
        for (i, name) in self.process.own.iter().enumerate() {
            if !self.workload.files.iter().any(|f| f.name == *name) {
                let reason = format!("no file of this workload is called '{name}'");
                refuse(out, &format!("{path}.own[{i}]"), &reason);
            }
        }
    }

    pub(super) fn create(
        &mut self,
        count: u32,
        size: Option<&Size>,
        chunk: Option<&Size>,
        at: &str,
        out: &mut Vec<Refusal>,
    ) {
        if count == 0 || count > MAX_FILES {
            let reason = format!("creates 1 to {MAX_FILES} files, not {count}");
            return refuse(out, &format!("{at}.count"), &reason);
        }
        let limit = MOST_KIB / self.layout.geometry.page_kib();
        let pages = size.map_or(0, |size| self.size(size, &format!("{at}.size"), limit, out));
        let wanted = u64::from(pages) * u64::from(count);
        if wanted > self.room {
            refuse(out, &format!("{at}.size"), &too_large(wanted, self.room));
        }
        let chunk = chunk.map_or(u32::MAX, |c| self.sectors(c, &format!("{at}.chunk"), out));
        if let Some(fd) = self.fd((0, 0), at, out) {
            self.ops.push(Op::Create {
                count,
                pages,
                chunk,
                fd,
            });
        }
    }

    /// Sectors of a size; at least 1, and less than 2 TiB.
    pub(super) fn sectors(&self, size: &Size, path: &str, out: &mut Vec<Refusal>) -> u32 {
        let node = self.home();
        let per_page = self.layout.geometry.page_kib() * SECTORS_PER_KIB;
        let sectors = match size {
            Size::Pages(pages) => pages
                .checked_mul(per_page)
                .ok_or_else(|| format!("{pages} pages are above the limit")),
            Size::Text(text) => parse_bytes(text).unwrap_or_else(|| {
                let kib = parse_kib(self.layout, node, text);
                kib.map(|kib| kib.saturating_mul(SECTORS_PER_KIB))
            }),
        };
        in_bounds(sectors, "sector", MOST_SECTORS, path, out)
    }
}
