//! Operations on files: open, read and write, create, unlink, stat, fsync.
//!
//! Modelled: one system call per point, in pieces of the size that the workload gives.
//! Left out: directories; every task that uses a file knows its name.
//! Invariants: a file is open while a task reads or writes it.

use super::*;
use crate::record::decisions;

decisions! {
    FileCall { file: Count, sector: Count, sectors: Count }
        "The transfer for file {file} covers {sectors sector} of 512 bytes, starting at sector {sector}.";
}

impl User {
    pub(super) fn fd<'a>(&self, w: &'a mut World, cx: &Context) -> &'a mut Fd {
        let number = self.number(w);
        Self::numbered(w, cx, number)
    }

    fn numbered<'a>(w: &'a mut World, cx: &Context, number: u8) -> &'a mut Fd {
        &mut w.processes.all[cx.process as usize].fds[number as usize]
    }

    /// The file that the operation has open, or is about to open.
    pub(crate) fn open_file(&self, w: &World, process: u32) -> Option<u32> {
        let fds = &w.processes.all[process as usize].fds;
        fds.get(self.number(w) as usize).map(|fd| fd.file)
    }

    /// Opens the file, or ends the operation if it does not exist (ENOENT). Writing and mapping create it.
    pub(super) fn open(&mut self, w: &mut World, cx: &Context) -> Flow {
        let creates = match *self.op(w) {
            Op::Transfer { write, .. } => write,
            Op::Copy { .. } => self.at > 0,
            _ => true,
        };
        let file = self.fd(w, cx).file;
        let f = &mut w.files.all[file as usize];
        if creates && !f.linked {
            (f.linked, f.written) = (true, 0);
        }
        if !f.linked {
            self.at = 0;
            return self.next();
        }
        self.pt = UsPt::Open;
        Flow::Next
    }

    pub(super) fn opened(&mut self, w: &mut World, cx: &Context) -> Flow {
        let maps = matches!(*self.op(w), Op::Map { .. });
        let file = self.fd(w, cx).file;
        if cx.ret == 0 && !w.files.file(file).linked {
            return self.open(w, cx);
        }
        if cx.ret == 0 && maps {
            // The next operations need the region.
            return self.die(w, cx);
        }
        if cx.ret == 0 {
            return self.next();
        }
        self.fd(w, cx).open = true;
        self.pt = match *self.op(w) {
            Op::Map { .. } => UsPt::Fetch,
            _ => UsPt::Transfer,
        };
        Flow::Next
    }

    /// The backing of a new region. A mapped file has one more user.
    pub(super) fn map_file(&self, w: &mut World, cx: &Context, region: u32, fd: u8) -> Backing {
        if fd == u8::MAX {
            return Backing::Anon;
        }
        let file = self.fd(w, cx).file;
        w.files.add_mapping(file, cx.process, region);
        crate::slab::dget(w, file);
        let offset = 0;
        Backing::File { file, offset, fd }
    }

    pub(super) fn transfer(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let (write, sectors, chunk, pattern) = match *self.op(w) {
            Op::Transfer {
                write,
                sectors,
                chunk,
                pattern,
                ..
            } => (write, sectors, chunk, pattern),
            Op::Copy { sectors, chunk, .. } => (self.at > 0, sectors, chunk, Pattern::Sequential),
            _ => return self.next(),
        };
        if self.i >= sectors {
            return self.next();
        }
        let fd = self.number(w);
        let open = *Self::numbered(w, cx, fd);
        let size = w.files.file(open.file).pages * page_sectors(w);
        if !open.open {
            return self.open(w, cx);
        }
        // A random file is chosen once for each call.
        let chosen = pattern == Pattern::Random && self.at == self.i + 1;
        let ahead = match chosen {
            true => open.file,
            false => order::next_file(
                pattern,
                (open.first, open.count),
                (open.file, open.pos >= size),
                &mut cx.rng,
            ),
        };
        if pattern == Pattern::Random {
            self.at = self.i + 1;
        }
        if ahead != open.file {
            let closed = close(w, cx.process, fd);
            Self::numbered(w, cx, fd).turn_to(ahead);
            return match closed {
                Some(file) => up.call(TruncateInodePages::call(file), w, cx),
                None => Flow::Next,
            };
        }
        let place = Self::numbered(w, cx, fd);
        place.pos = order::next_position(pattern, size, chunk, place.pos, &mut cx.rng);
        let pos = place.pos;
        let length = chunk.min(size - pos).min(sectors - self.i);
        if write {
            w.phases.made.written += u64::from(length);
        } else {
            w.phases.made.read += u64::from(length);
        }
        if matches!(*self.op(w), Op::Copy { .. }) {
            // A copy writes what it has read before it reads more.
            self.i += if write { length } else { 0 };
            self.at = u32::from(!write);
        } else {
            self.i += length;
        }
        self.pt = UsPt::Moved;
        w.spend(w.facts.cost.syscall);
        w.record(FileCall {
            file: open.file.into(),
            sector: pos.into(),
            sectors: length.into(),
        });
        let (end, node) = (pos + length, Self::node(cx, w));
        up.call(
            if write {
                GenericPerformWrite::call(fd, end, node)
            } else {
                FilemapRead::call(fd, end, node)
            },
            w,
            cx,
        )
    }

    pub(super) fn fsync(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let row = *self.fd(w, cx);
        if self.i == row.count {
            return self.next();
        }
        self.i += 1;
        up.call(FsyncFile::call(row.first + self.i - 1), w, cx)
    }

    pub(super) fn unlink(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let row = *self.fd(w, cx);
        if self.i == row.count {
            return self.next();
        }
        let file = row.first + self.i;
        self.i += 1;
        w.spend(w.facts.cost.dentry_free);
        let f = &mut w.files.all[file as usize];
        if !std::mem::replace(&mut f.linked, false) {
            return Flow::Next;
        }
        let gone = if row.open && row.file == file {
            close(w, cx.process, self.number(w))
        } else {
            (f.users == 0 && f.inode != NONE).then_some(file)
        };
        match gone {
            Some(file) => up.call(TruncateInodePages::call(file), w, cx),
            None => Flow::Next,
        }
    }

    pub(super) fn stat(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let row = *self.fd(w, cx);
        if self.i == row.count {
            return self.next();
        }
        let file = row.first + self.i;
        self.i += 1;
        w.spend(w.facts.cost.syscall);
        if row.open || !w.files.file(file).linked {
            return Flow::Next;
        }
        self.fd(w, cx).turn_to(file);
        self.pt = UsPt::Found;
        up.call(DAllocAndLookup::call(file, Self::node(cx, w)), w, cx)
    }

    pub(super) fn found(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        self.pt = UsPt::Stat;
        if cx.ret == 0 {
            return Flow::Next;
        }
        self.fd(w, cx).open = true;
        match close(w, cx.process, self.number(w)) {
            Some(file) => up.call(TruncateInodePages::call(file), w, cx),
            None => Flow::Next,
        }
    }

    pub(super) fn create(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Op::Create { count, pages, .. } = *self.op(w) else {
            return self.next();
        };
        if self.i == count {
            w.phases.creating.end(cx.task, w.now);
            return self.next();
        }
        self.i += 1;
        w.spend(w.facts.cost.syscall);
        let file = w.files.create(crate::filemap::device_for_files(w), pages);
        self.fd(w, cx).turn_to(file);
        self.pt = UsPt::Made;
        up.call(DAllocAndLookup::call(file, Self::node(cx, w)), w, cx)
    }

    pub(super) fn made(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        if cx.ret == 0 {
            w.phases.creating.end(cx.task, w.now);
            return self.next();
        }
        self.fd(w, cx).open = true;
        if matches!(*self.op(w), Op::Create { pages: 0, .. }) {
            self.pt = UsPt::Close;
            return Flow::Next;
        }
        self.write_on(w, cx, up)
    }

    /// Makes the next write() to a file that was just created.
    pub(super) fn write_on(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Op::Create { pages, chunk, .. } = *self.op(w) else {
            return self.next();
        };
        self.pt = UsPt::Written;
        let (pos, all) = (self.fd(w, cx).pos, pages * page_sectors(w));
        let end = pos.saturating_add(chunk).min(all);
        w.phases.made.written += u64::from(end - pos);
        let node = Self::node(cx, w);
        up.call(GenericPerformWrite::call(self.number(w), end, node), w, cx)
    }

    pub(super) fn written(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let Op::Create { pages, .. } = *self.op(w) else {
            return self.next();
        };
        if cx.ret == 0 || self.fd(w, cx).pos >= pages * page_sectors(w) {
            self.pt = UsPt::Close;
            return Flow::Next;
        }
        w.spend(w.facts.cost.syscall);
        self.write_on(w, cx, up)
    }
}
