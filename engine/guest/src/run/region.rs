//! Memory that a task maps, and operations on single pages.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;

/// Bytes of a huge page. Regions begin at such a border, as they do in the engine.
const HUGE: usize = 2 << 20;

fn check(result: i32) -> io::Result<()> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// A mapped region. Threads of a process share it; several threads may touch the same page on
/// purpose, so all accesses are volatile and of single bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Region {
    address: usize,
    bytes: usize,
    page_bytes: usize,
    is_locked: bool,
}

impl Region {
    /// Maps anonymous memory, or a file from its start.
    pub fn map(pages: u32, page_bytes: usize, file: Option<BorrowedFd>) -> io::Result<Region> {
        let bytes = pages as usize * page_bytes;
        let address = aligned(bytes)?;
        let (flags, fd) = match file {
            Some(file) => (libc::MAP_SHARED, file.as_raw_fd()),
            // A region may be larger than memory and swap space: the OOM killer decides then.
            None => (
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
            ),
        };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the range was reserved by `aligned` and is used by nobody else.
        let mapped = unsafe {
            libc::mmap(
                address as *mut _,
                bytes,
                access,
                flags | libc::MAP_FIXED,
                fd,
                0,
            )
        };
        if mapped == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let region = Region {
            address,
            bytes,
            page_bytes,
            is_locked: false,
        };
        // A process that this one starts does not inherit the region, as after execve.
        region.advise(0, bytes, libc::MADV_DONTFORK)?;
        Ok(region)
    }

    /// Number of pages.
    pub fn pages(&self) -> u32 {
        (self.bytes / self.page_bytes.max(1)) as u32
    }

    /// Asks for huge pages.
    pub fn advise_huge(&self) -> io::Result<()> {
        self.advise(0, self.bytes, libc::MADV_HUGEPAGE)
    }

    /// Frees some pages.
    pub fn give_back(&self, page: u32, pages: u32) -> io::Result<()> {
        if self.is_locked {
            return Ok(());
        }
        let start = page as usize * self.page_bytes;
        self.advise(start, pages as usize * self.page_bytes, libc::MADV_DONTNEED)
    }

    fn advise(&self, start: usize, bytes: usize, advice: i32) -> io::Result<()> {
        // SAFETY: the range is part of this region, which holds no objects.
        check(unsafe { libc::madvise((self.address + start) as *mut _, bytes, advice) })
    }

    /// Locks all pages in memory.
    pub fn lock(&mut self) -> io::Result<()> {
        self.is_locked = true;
        // SAFETY: locking changes no contents.
        check(unsafe { libc::mlock(self.address as *const _, self.bytes) })
    }

    /// Unmaps it.
    pub fn unmap(&mut self) -> io::Result<()> {
        let region = std::mem::take(self);
        // SAFETY: the compiler of workloads has checked that nobody uses the region after this.
        check(unsafe { libc::munmap(region.address as *mut _, region.bytes) })
    }

    /// Reads or writes one byte of a page, or one of each cache line.
    #[inline]
    pub fn touch(&self, page: u32, write: bool, whole: bool) {
        let start = page as usize * self.page_bytes;
        let end = start + if whole { self.page_bytes } else { 1 };
        for offset in (start..end.min(self.bytes)).step_by(LINE) {
            let byte = (self.address + offset) as *mut u8;
            // SAFETY: the byte is part of this region. Nothing depends on what is read.
            unsafe {
                if write {
                    byte.write_volatile(1);
                } else {
                    let _ = byte.read_volatile();
                }
            }
        }
    }
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// Reserves addresses that begin at the border of a huge page.
fn aligned(bytes: usize) -> io::Result<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let all = bytes + HUGE;
    // SAFETY: a new mapping without access.
    let start = unsafe { libc::mmap(ptr::null_mut(), all, libc::PROT_NONE, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let start = start as usize;
    let address = start.next_multiple_of(HUGE);
    let (before, after) = (address - start, start + all - (address + bytes));
    // SAFETY: both ranges are parts of the new mapping that are not needed.
    unsafe {
        if before > 0 {
            libc::munmap(start as *mut _, before);
        }
        if after > 0 {
            libc::munmap((address + bytes) as *mut _, after);
        }
    }
    Ok(address)
}

/// Memory that all processes share, zero at first.
pub fn shared<T: Zeroed>(len: usize) -> io::Result<&'static [T]> {
    let bytes = (len * size_of::<T>()).max(1);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping.
    let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the mapping is never removed, is large enough and aligned to a page, and zero bytes are values
    // of T, which changes by atomic operations only.
    Ok(unsafe { std::slice::from_raw_parts(start.cast(), len) })
}

/// # Safety
/// Zero bytes are a value, and the type consists of atomics only.
pub unsafe trait Zeroed: Sync {}

// SAFETY: an atomic number.
unsafe impl Zeroed for std::sync::atomic::AtomicU32 {}
