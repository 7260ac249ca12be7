//! The kernel modules of a run, in the order in which they are loaded.
//!
//! A package has no `modules.dep`, which is made when it is installed. Dependencies are therefore
//! read from the modules themselves: `depends=` and `softdep=pre:` in their `.modinfo`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::failure::{Outcome, bad, io_fault};

/// The modules that every run with disks needs.
pub const DISKS: [&str; 2] = ["virtio_pci", "virtio_blk"];
/// The modules of the file system. ext4 requests crc32c by the name of an algorithm.
pub const FILES: [&str; 2] = ["crc32c_generic", "ext4"];
/// Modules that some kernels do not have.
const OPTIONAL: [&str; 1] = ["crc32c_generic"];

/// One module: name and contents, unpacked.
pub type Module = (String, Vec<u8>);

/// The requested modules and all their dependencies, each after its dependencies. Modules that are
/// built into the kernel are left out.
///
/// # Errors
/// The kernel has a module neither as a file nor built in.
pub fn load(folder: &Path, wanted: &[&str]) -> Outcome<Vec<Module>> {
    let mut files = BTreeMap::new();
    index(folder, &mut files).map_err(|error| io_fault(folder.display(), &error))?;
    let builtin = fs::read_to_string(folder.join("modules.builtin")).unwrap_or_default();
    let builtin = builtin.lines().map(name_of).collect();
    let mut loader = Loader {
        files,
        builtin,
        seen: BTreeSet::new(),
        out: Vec::new(),
    };
    for name in wanted {
        loader.add(name, folder)?;
    }
    Ok(loader.out)
}

struct Loader {
    files: BTreeMap<String, PathBuf>,
    builtin: BTreeSet<String>,
    seen: BTreeSet<String>,
    out: Vec<Module>,
}

impl Loader {
    fn add(&mut self, name: &str, folder: &Path) -> Outcome<()> {
        if self.builtin.contains(name) || !self.seen.insert(name.to_string()) {
            return Ok(());
        }
        let Some(path) = self.files.get(name).cloned() else {
            if OPTIONAL.contains(&name) {
                return Ok(());
            }
            let folder = folder.display();
            return Err(bad(format!("{folder}: the kernel has no module {name}")));
        };
        let bytes = unpacked(&path)?;
        let info = Info::of(&bytes);
        for needed in info.depends {
            self.add(&needed, folder)?;
        }
        for first in info.before {
            // An optional algorithm or module, which is left out if the kernel does not have it.
            if self.files.contains_key(&first) {
                self.add(&first, folder)?;
            }
        }
        self.out.push((format!("{name}.ko"), bytes));
        Ok(())
    }
}

/// The dependencies of a module.
#[derive(Debug, Default, PartialEq, Eq)]
struct Info {
    depends: Vec<String>,
    before: Vec<String>,
}

impl Info {
    /// Reads the texts of `.modinfo`, which are anywhere in the file, each terminated by a zero
    /// byte.
    fn of(module: &[u8]) -> Info {
        let mut info = Info::default();
        for text in module.split(|byte| *byte == 0) {
            let Ok(text) = std::str::from_utf8(text) else {
                continue;
            };
            if let Some(names) = text.strip_prefix("depends=") {
                let names = names.split(',').filter(|name| !name.is_empty());
                info.depends.extend(names.map(same_name));
            } else if let Some(rest) = text.strip_prefix("softdep=pre: ") {
                let names = rest.split_whitespace().take_while(|name| *name != "post:");
                info.before.extend(names.map(same_name));
            }
        }
        info
    }
}

/// The kernel treats hyphens and underscores as equal.
fn same_name(name: &str) -> String {
    name.replace('-', "_")
}

/// `kernel/fs/ext4/ext4.ko.xz` is ext4.
fn name_of(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    same_name(file.split(".ko").next().unwrap_or(file))
}

fn index(folder: &Path, out: &mut BTreeMap<String, PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            // "build" and "source" are links to other folders of the distribution.
            if !path.is_symlink() {
                index(&path, out)?;
            }
        } else if let Some(name) = path.file_name().and_then(|name| name.to_str())
            && name.contains(".ko")
        {
            out.insert(name_of(name), path.clone());
        }
    }
    Ok(())
}

fn unpacked(path: &Path) -> Outcome<Vec<u8>> {
    let fault = |error: std::io::Error| io_fault(path.display(), &error);
    let bytes = fs::read(path).map_err(fault)?;
    let mut out = Vec::new();
    match path.extension().and_then(|end| end.to_str()) {
        Some("ko") => out = bytes,
        Some("xz") => {
            let mut reader = lzma_rust2::XzReader::new(&bytes[..], true);
            reader.read_to_end(&mut out).map_err(fault)?;
        }
        Some("zst") => {
            let reader = ruzstd::decoding::StreamingDecoder::new(&bytes[..]);
            let mut reader = reader.map_err(std::io::Error::other).map_err(fault)?;
            reader.read_to_end(&mut out).map_err(fault)?;
        }
        Some("gz") => {
            let mut reader = flate2::read::GzDecoder::new(&bytes[..]);
            reader.read_to_end(&mut out).map_err(fault)?;
        }
        _ => {
            let path = path.display();
            return Err(bad(format!("{path}: this compression is not known")));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, path: &str, info: &str) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, info.replace('|', "\0")).expect("a file");
    }

    fn names(folder: &Path, wanted: &[&str]) -> Outcome<Vec<String>> {
        let found = load(folder, wanted)?;
        Ok(found.into_iter().map(|(name, _)| name).collect())
    }

    #[test]
    fn loads_each_module_after_its_dependencies_and_skips_built_in_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        write(
            at,
            "kernel/fs/ext4/ext4.ko",
            "ELF|depends=jbd2,mbcache|softdep=pre: crc32c|x|",
        );
        write(at, "kernel/fs/jbd2/jbd2.ko", "ELF|depends=|x");
        write(at, "kernel/fs/mbcache.ko", "ELF|depends=|x");
        write(
            at,
            "kernel/drivers/virtio/virtio-pci.ko",
            "|depends=virtio,virtio-ring|",
        );
        write(at, "kernel/drivers/virtio/virtio.ko", "|depends=|");
        write(
            at,
            "kernel/drivers/virtio/virtio_ring.ko",
            "|depends=virtio|",
        );
        write(
            at,
            "modules.builtin",
            "kernel/drivers/block/virtio_blk.ko\n",
        );
        let found = names(at, &["virtio_pci", "virtio_blk", "crc32c_generic", "ext4"]);
        let expected = [
            "virtio.ko",
            "virtio_ring.ko",
            "virtio_pci.ko",
            "jbd2.ko",
            "mbcache.ko",
            "ext4.ko",
        ];
        assert_eq!(found, Ok(expected.map(str::to_string).to_vec()));
    }

    #[test]
    fn names_a_missing_module() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = names(folder.path(), &["ext4"]).expect_err("none");
        assert!(
            format!("{refused:?}").contains("no module ext4"),
            "{refused:?}"
        );
    }
}
