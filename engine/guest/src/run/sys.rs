//! System calls that the standard library lacks, each as a safe function.

use facts::index::CpuIndex;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::Path;
use std::ptr;
use std::time::Duration;

/// Process or thread id.
pub type Pid = libc::pid_t;

fn check(result: i64) -> io::Result<i64> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        other => Ok(other),
    }
}

fn text(path: &str) -> io::Result<CString> {
    CString::new(path).map_err(io::Error::other)
}

fn clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the result. A clock of the running thread always exists.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The monotonic clock, ns. The trace uses the same clock.
pub fn now() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// CPU time of the running thread, ns.
pub fn cpu_time() -> u64 {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Sleeps until this time of the monotonic clock, ns.
pub fn sleep_until(at: u64) {
    let time = libc::timespec {
        tv_sec: (at / 1_000_000_000) as _,
        tv_nsec: (at % 1_000_000_000) as _,
    };
    let absolute = libc::TIMER_ABSTIME;
    // SAFETY: `time` is valid, and the remaining time is not requested. An interrupted sleep starts again.
    while unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, absolute, &time, ptr::null_mut()) }
        == libc::EINTR
    {}
}

/// A new process: 0 in the child, its id in the parent.
pub fn fork() -> io::Result<Pid> {
    // SAFETY: the child is single-threaded. It uses memory and files that it had before.
    check(unsafe { libc::fork() }.into()).map(|pid| pid as Pid)
}

/// Ends the process at once, with all its threads.
pub fn exit(status: i32) -> ! {
    // SAFETY: nothing has to be cleaned up: the kernel frees everything.
    unsafe { libc::_exit(status) }
}

/// Sends SIGKILL.
pub fn kill(pid: Pid) {
    // SAFETY: a signal to another process changes no memory of this one.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// Wakes the process that waits in [`wait_for_child`].
pub fn wake(pid: Pid) {
    // SAFETY: as above; the receiver blocks this signal.
    unsafe { libc::kill(pid, libc::SIGCHLD) };
}

/// The result of checking for a child that has ended.
pub enum Child {
    /// This child has ended.
    Ended(Pid),
    /// All children are still alive.
    Alive,
    /// There is no child.
    None,
}

/// Takes a child that has ended; waits for one if `waits`.
pub fn reap(waits: bool) -> Child {
    let options = if waits { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: the status is not requested.
        match unsafe { libc::waitpid(-1, ptr::null_mut(), options) } {
            0 => return Child::Alive,
            pid if pid > 0 => return Child::Ended(pid),
            _ if io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            _ => return Child::None,
        }
    }
}

fn child_signal() -> libc::sigset_t {
    let mut set = std::mem::MaybeUninit::uninit();
    // SAFETY: sigemptyset initializes the set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        set.assume_init()
    }
}

/// Blocks SIGCHLD, so that [`wait_for_child`] can wait for it.
pub fn block_child_signal() {
    let set = child_signal();
    // SAFETY: the set is valid; the old one is not requested.
    unsafe { libc::sigprocmask(libc::SIG_BLOCK, &set, ptr::null_mut()) };
}

/// Waits for the end of a child, a call of [`wake`], or this long.
pub fn wait_for_child(most: Duration) {
    let set = child_signal();
    let time = libc::timespec {
        tv_sec: most.as_secs() as _,
        tv_nsec: most.subsec_nanos() as _,
    };
    // SAFETY: all pointers are valid; details of the signal are not requested.
    unsafe { libc::sigtimedwait(&set, ptr::null_mut(), &time) };
}

/// Orphans among the descendants become children of this process.
pub fn adopt_orphans() {
    // SAFETY: this option has no pointer.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// The command name of the running thread; its first 15 bytes count.
pub fn set_name(name: &str) {
    if let Ok(name) = text(name) {
        // SAFETY: the name ends with a zero byte.
        unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
    }
}

/// Id of the running process.
pub fn process_id() -> Pid {
    std::process::id() as Pid
}

/// Id of the running thread.
pub fn thread_id() -> Pid {
    // SAFETY: the call has no arguments.
    unsafe { libc::gettid() }
}

/// Is this the superuser?
pub fn is_root() -> bool {
    // SAFETY: the call has no arguments.
    unsafe { libc::geteuid() == 0 }
}

/// Bytes in a page.
pub fn page_bytes() -> usize {
    // SAFETY: the call has no pointers.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// Locks all memory of this process. Memory that it maps later is locked page by page on first use.
pub fn lock_all() -> io::Result<()> {
    let later = libc::MCL_FUTURE | libc::MCL_ONFAULT;
    for flags in [libc::MCL_CURRENT, later] {
        // SAFETY: locking changes no contents.
        check(unsafe { libc::mlockall(flags) }.into())?;
    }
    Ok(())
}

/// The CPUs on which a thread may run.
pub fn set_affinity(thread: Pid, cpus: &[CpuIndex]) -> io::Result<()> {
    // SAFETY: zero is a valid set; CPU_SET checks its bounds.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for &cpu in cpus {
            libc::CPU_SET(cpu.index(), &mut set);
        }
        set
    };
    // SAFETY: the set is valid and has the size given.
    check(unsafe { libc::sched_setaffinity(thread, size_of_val(&set), &set) }.into()).map(drop)
}

/// The memory policy of the running thread. `mode` is one of `MPOL_*`.
pub fn set_policy(mode: i32, nodes: &[facts::index::NodeIndex]) -> io::Result<()> {
    let mut mask = [0u64; 4];
    for &node in nodes {
        mask[node.index() / 64] |= 1 << (node.get() % 64);
    }
    let (mask, bits) = match nodes.is_empty() {
        true => (ptr::null(), 0),
        false => (mask.as_ptr(), mask.len() * 64 + 1),
    };
    // SAFETY: the mask has this many bits; the kernel subtracts one.
    check(unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, mask, bits) }).map(drop)
}

/// Mounts a file system with these options, and makes the folder for it.
pub fn mount(device: &str, folder: &str, kind: &str, options: &str) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let (device, folder) = (text(device)?, text(folder)?);
    let (kind, options) = (text(kind)?, text(options)?);
    // SAFETY: all texts end with a zero byte.
    check(
        unsafe {
            libc::mount(
                device.as_ptr(),
                folder.as_ptr(),
                kind.as_ptr(),
                0,
                options.as_ptr().cast(),
            )
        }
        .into(),
    )
    .map(drop)
}

/// Loads a kernel module.
pub fn load_module(path: &Path) -> io::Result<()> {
    let file = std::fs::File::open(path)?;
    // SAFETY: the parameters are an empty text.
    check(unsafe { libc::syscall(libc::SYS_finit_module, file.as_raw_fd(), c"".as_ptr(), 0) })
        .map(drop)
}

/// Uses a device as swap space.
pub fn swap_on(device: &str) -> io::Result<()> {
    let device = text(device)?;
    // SAFETY: the text ends with a zero byte.
    check(unsafe { libc::swapon(device.as_ptr(), 0) }.into()).map(drop)
}

/// Switches the machine off without writing file systems out. Returns only if that fails.
pub fn power_off() {
    // SAFETY: the call has no pointers.
    unsafe { libc::reboot(libc::RB_POWER_OFF) };
}

/// Drops the cached pages of this file.
pub fn forget_file(file: BorrowedFd) {
    // SAFETY: the file is open.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
}

/// The kernel's log.
pub fn kernel_log() -> io::Result<String> {
    const READ_ALL: i32 = 3;
    const SIZE: i32 = 10;
    // SAFETY: this command has no buffer.
    let size = check(unsafe { libc::klogctl(SIZE, ptr::null_mut(), 0) }.into())?;
    let mut buffer = vec![0u8; size as usize];
    // SAFETY: the buffer has this many bytes.
    let read =
        check(unsafe { libc::klogctl(READ_ALL, buffer.as_mut_ptr().cast(), size as i32) }.into())?;
    buffer.truncate(read as usize);
    Ok(String::from_utf8_lossy(&buffer).into_owned())
}
