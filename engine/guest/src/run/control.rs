//! Files of the kernel that control it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, Write};

use guest::{COMPACT_MEMORY, DROP_CACHES, NR_HUGEPAGES, tunable_path};

/// Writes a file of /proc or /sys.
pub fn write(path: &str, value: &str) -> io::Result<()> {
    // A single call, because these files accept only a whole value.
    OpenOptions::new()
        .write(true)
        .open(path)?
        .write_all(value.as_bytes())
}

/// Writes a tunable by its name, to the first of its files that exists.
pub fn write_tunable(name: &str, value: &str) -> io::Result<()> {
    let mut result = Err(ErrorKind::NotFound.into());
    for path in tunable_path(name) {
        result = write(&path, value);
        if !matches!(&result, Err(error) if error.kind() == ErrorKind::NotFound) {
            break;
        }
    }
    result
}

/// Drops clean pages of files; with `slab` also unused names and inodes.
pub fn drop_caches(slab: bool) -> io::Result<()> {
    write(DROP_CACHES, if slab { "3" } else { "1" })
}

/// Compacts all memory.
pub fn compact_memory() -> io::Result<()> {
    write(COMPACT_MEMORY, "1")
}

/// Adds huge pages to the pool or removes some. Returns the change of the pool's size.
pub fn change_huge_pages(by: i64) -> io::Result<i64> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(NR_HUGEPAGES)?;
    // Several tasks may change the pool at the same time.
    file.lock()?;
    let before = number(&mut file)?;
    file.rewind()?;
    file.write_all((before + by).max(0).to_string().as_bytes())?;
    Ok(number(&mut file)? - before)
}

fn number(file: &mut File) -> io::Result<i64> {
    let mut text = String::new();
    file.rewind()?;
    file.read_to_string(&mut text)?;
    text.trim().parse().map_err(io::Error::other)
}

/// A file's text, or nothing if it does not exist.
pub fn read(path: &str) -> String {
    fs::read(path).map_or(String::new(), |bytes| {
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// A list of numbers as the kernel writes it: "0-1,4".
pub fn number_list(text: &str) -> Vec<u16> {
    let mut all = Vec::new();
    for range in text.trim().split(',').filter(|range| !range.is_empty()) {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        if let (Ok(from), Ok(to)) = (from.parse::<u16>(), to.parse::<u16>()) {
            all.extend(from..=to);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lists_of_cpus() {
        assert_eq!(number_list("0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(number_list("3"), [3]);
        assert!(number_list("\n").is_empty());
    }

    #[test]
    fn names_a_tunable_that_does_not_exist() {
        let error = write_tunable("vm.no_such_tunable", "1").expect_err("missing");
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}
