//! Operations on files. A file of the workload is `fN` in the folder of the data device; a file that a task
//! creates is `cTASK-N`.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::PathBuf;

use facts::workload::{Op, Pattern, Program, SECTOR, order};
use guest::BUFFER;

use super::plan::Plan;
use super::sys;
use super::table::Kind;
use super::task::Task;

/// The maximum number of buffers in one call (IOV_MAX).
const MOST_BUFFERS: usize = 1024;
/// Time between two lines about a write in the log, ns.
const REPORT_NS: u64 = 1_000_000_000;

/// One file of a program, or several that are used one after the other.
struct Series {
    first: u32,
    count: u32,
    file: u32,
    /// The current file, if it is open, and its position in sectors.
    open: Option<File>,
    pos: u32,
}

/// The open files of a process.
pub struct Files {
    plan: &'static Plan,
    all: Vec<Series>,
    buffer: Vec<u8>,
    created: u32,
}

impl Files {
    /// The files of a program's task. A thread has none.
    pub fn new(plan: &'static Plan, program: &Program, before: u32, is_main: bool) -> Files {
        let files = program.files.iter().zip(&program.own);
        let series = files.map(|(&files, &own)| {
            let (first, count) = order::own_files(files, own, before);
            Series {
                first,
                count,
                file: first,
                open: None,
                pos: 0,
            }
        });
        Files {
            plan,
            all: series.filter(|_| is_main).collect(),
            buffer: Vec::new(),
            created: 0,
        }
    }

    /// The current file of a series, opened. `creates`: a missing file is created with the size
    /// that the workload gives.
    pub fn opened(&mut self, fd: u8, creates: bool) -> io::Result<BorrowedFd<'_>> {
        let series = &mut self.all[usize::from(fd)];
        if series.open.is_none() {
            series.open = Some(self.plan.open(series.file, creates)?);
        }
        match &series.open {
            Some(file) => Ok(file.as_fd()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    fn buffer(&mut self) -> &mut [u8] {
        // Filled only when needed, because most tasks use no files.
        self.buffer.resize(BUFFER, 1);
        &mut self.buffer
    }

    /// Reads or writes some sectors of the open file.
    fn call(&mut self, fd: u8, write: bool, pos: u32, sectors: u32) -> io::Result<()> {
        self.buffer();
        let file = self.opened(fd, write)?.as_raw_fd();
        let (mut at, end) = (bytes(pos), bytes(pos + sectors));
        while at < end {
            let moved = one_call(&mut self.buffer, file, write, at, (end - at) as usize)?;
            if moved == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            at += moved as u64;
        }
        Ok(())
    }
}

fn bytes(sectors: u32) -> u64 {
    u64::from(sectors) * u64::from(SECTOR)
}

/// One system call, which may move fewer bytes.
fn one_call(buffer: &mut [u8], file: i32, write: bool, at: u64, len: usize) -> io::Result<usize> {
    let count = len.div_ceil(BUFFER).min(MOST_BUFFERS);
    let last = (len - (count - 1) * BUFFER).min(BUFFER);
    let length = |i: usize| if i + 1 == count { last } else { BUFFER };
    let start = buffer.as_mut_ptr();
    let parts: Vec<libc::iovec> = (0..count)
        .map(|i| libc::iovec {
            iov_base: start.cast(),
            iov_len: length(i),
        })
        .collect();
    let (parts, count, at) = (parts.as_ptr(), count as i32, at as libc::off_t);
    // SAFETY: each part is within the buffer. That parts overlap does no harm: nothing depends on the contents.
    let moved = unsafe {
        match write {
            true => libc::pwritev(file, parts, count, at),
            false => libc::preadv(file, parts, count, at),
        }
    };
    match moved {
        -1 => Err(io::Error::last_os_error()),
        moved => Ok(moved as usize),
    }
}

/// Progress of reading or writing for the log.
struct Meter {
    bytes: u64,
    reported: u64,
    longest: u64,
}

impl Task {
    pub(super) fn file(&mut self, pc: u32, op: Op) -> io::Result<()> {
        match op {
            Op::Transfer { .. } | Op::Copy { .. } => self.transfer(pc, op),
            Op::Fsync { fd } => {
                self.each_file(pc, fd, |plan, number| plan.open(number, false)?.sync_all())
            }
            Op::Unlink { fd } => {
                let series = &mut self.files.all[usize::from(fd)];
                series.open = None;
                self.each_file(pc, fd, |plan, number| {
                    std::fs::remove_file(plan.file(number))
                })
            }
            Op::Stat { fd } => {
                let series = &self.files.all[usize::from(fd)];
                if series.open.is_some() {
                    return Ok(());
                }
                let found = Cell::new(None);
                self.each_file(pc, fd, |plan, number| {
                    std::fs::metadata(plan.file(number))?;
                    found.set(Some(number));
                    Ok(())
                })?;
                if let Some(last) = found.get() {
                    let series = &mut self.files.all[usize::from(fd)];
                    (series.file, series.pos) = (last, 0);
                }
                Ok(())
            }
            Op::Create {
                count,
                pages,
                chunk,
                ..
            } => self.create(pc, count, pages, chunk),
            _ => Ok(()),
        }
    }

    /// Calls a function for every existing file of a series.
    fn each_file(
        &self,
        pc: u32,
        fd: u8,
        act: impl Fn(&Plan, u32) -> io::Result<()>,
    ) -> io::Result<()> {
        let series = &self.files.all[usize::from(fd)];
        for number in series.first..series.first + series.count {
            match act(self.plan, number) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.done(pc, series.count.into(), 0);
        Ok(())
    }

    fn transfer(&mut self, pc: u32, op: Op) -> io::Result<()> {
        let (sectors, chunk, pattern) = match op {
            Op::Transfer {
                sectors,
                chunk,
                pattern,
                ..
            } => (sectors, chunk, pattern),
            Op::Copy { sectors, chunk, .. } => {
                self.at = 0;
                (sectors, chunk, Pattern::Sequential)
            }
            _ => return Ok(()),
        };
        let mut meter = Meter {
            bytes: 0,
            reported: self.began,
            longest: 0,
        };
        let mut moved = 0;
        let mut used = 0;
        while moved < sectors {
            let (fd, write) = match op {
                Op::Copy { from, .. } if self.at == 0 => (from, false),
                Op::Copy { to, .. } => (to, true),
                Op::Transfer { fd, write, .. } => (fd, write),
                _ => return Ok(()),
            };
            match self.files.opened(fd, write) {
                // A missing file cannot be read: the operation ends, as in the engine.
                Err(error) if error.kind() == ErrorKind::NotFound && !write => {
                    self.at = 0;
                    return Ok(());
                }
                Err(error) => return Err(error),
                Ok(_) => {}
            }
            if self.turns(fd, pattern, moved) {
                continue;
            }
            let length = self.call(
                pc,
                (fd, write),
                (pattern, chunk),
                sectors - moved,
                &mut meter,
            )?;
            used = self.files.all[usize::from(fd)].file;
            if let Op::Copy { .. } = op {
                // A copy writes what it has read before it reads more.
                moved += if write { length } else { 0 };
                self.at = u32::from(!write);
            } else {
                moved += length;
            }
            self.slot.progress(moved);
        }
        self.done(pc, bytes(moved), used.into());
        Ok(())
    }

    /// Switches to another file of the series if the next call is for that one.
    fn turns(&mut self, fd: u8, pattern: Pattern, moved: u32) -> bool {
        let is_random = pattern == Pattern::Random;
        let series = &mut self.files.all[usize::from(fd)];
        // A random file is chosen once for each call.
        let chosen = is_random && self.at == moved + 1;
        let next = match chosen {
            true => series.file,
            false => {
                let ended = series.pos >= self.plan.sectors(series.file);
                let current = (series.file, ended);
                order::next_file(
                    pattern,
                    (series.first, series.count),
                    current,
                    &mut self.rng,
                )
            }
        };
        if is_random {
            self.at = moved + 1;
        }
        if next == series.file {
            return false;
        }
        (series.file, series.open, series.pos) = (next, None, 0);
        true
    }

    /// One call: returns how many sectors it moved.
    fn call(
        &mut self,
        pc: u32,
        (fd, write): (u8, bool),
        (pattern, chunk): (Pattern, u32),
        left: u32,
        meter: &mut Meter,
    ) -> io::Result<u32> {
        let series = &mut self.files.all[usize::from(fd)];
        let size = self.plan.sectors(series.file);
        let pos = order::next_position(pattern, size, chunk, series.pos, &mut self.rng);
        let length = chunk.min(size - pos).min(left);
        series.pos = pos + length;
        #[cfg(test)]
        super::witness::note(super::witness::Seen::Call(
            series.file.into(),
            pos.into(),
            length.into(),
        ));
        let began = sys::now();
        self.files.call(fd, write, pos, length)?;
        let ended = sys::now();
        meter.bytes += bytes(length);
        meter.longest = meter.longest.max(ended - began);
        if write && ended - meter.reported >= REPORT_NS {
            self.note(pc, Kind::Writing, meter.bytes, meter.longest);
            (meter.reported, meter.longest) = (ended, 0);
        }
        Ok(length)
    }

    fn create(&mut self, pc: u32, count: u32, pages: u32, chunk: u32) -> io::Result<()> {
        let all = u64::from(pages) * self.plan.page_bytes as u64;
        for done in 0..count {
            let path = self.created_file();
            let file = File::create(path)?;
            let mut at = 0;
            while at < all {
                let length = (all - at).min(bytes(chunk)) as usize;
                self.files.buffer();
                at += one_call(&mut self.files.buffer, file.as_raw_fd(), true, at, length)? as u64;
            }
            self.slot.progress(done + 1);
        }
        self.done(pc, count.into(), 0);
        Ok(())
    }

    fn created_file(&mut self) -> PathBuf {
        let number = self.files.created;
        self.files.created += 1;
        self.plan.folder.join(format!("c{}-{number}", self.number))
    }
}

/// Writes a file with O_DIRECT, so that no page of it is cached. Falls back to a cached write
/// followed by dropping the pages if the file system does not support O_DIRECT.
pub fn write_directly(path: &std::path::Path, size: u64) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    const PART: usize = 1 << 20;
    let mut buffer = vec![1u8; PART + 4096];
    let start = buffer.as_ptr().align_offset(4096);
    let part = &mut buffer[start..start + PART];
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let direct = options.clone().custom_flags(libc::O_DIRECT).open(path);
    let mut file = direct.or_else(|_| options.open(path))?;
    let mut left = size;
    while left > 0 {
        let length = left.min(PART as u64) as usize;
        let written = file.write(&part[..length])?;
        if written == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
        left -= written as u64;
    }
    file.sync_all()?;
    sys::forget_file(file.as_fd());
    Ok(())
}
