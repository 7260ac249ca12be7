//! Unpacking of a Debian package: a kernel and the modules that a run needs.
//!
//! A package is an `ar` archive with a compressed `tar` archive of the files. Nothing is installed, and
//! no script of the package is run.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::failure::{Outcome, bad, io_fault};

/// Folders of a kernel's modules that a run can need: devices of a virtual machine, file systems, and the
/// libraries that they use. All modules together would be several hundred MiB.
const NEEDED: [&str; 9] = [
    "kernel/drivers/virtio/",
    "kernel/drivers/block/",
    "kernel/fs/ext4/",
    "kernel/fs/jbd2/",
    "kernel/fs/mbcache",
    "kernel/lib/",
    "kernel/crypto/",
    "kernel/arch/x86/",
    "modules.",
];

/// Unpacks the kernel of a package into a folder.
///
/// # Errors
/// The file is not a Debian package of a kernel.
pub fn unpack_deb(package: &Path, into: &Path) -> Outcome<()> {
    let name = package.display().to_string();
    let file = File::open(package).map_err(|error| io_fault(&name, &error))?;
    let mut outer = ar::Archive::new(file);
    while let Some(entry) = outer.next_entry() {
        let entry =
            entry.map_err(|error| bad(format!("{name}: this is not a Debian package: {error}")))?;
        let part = String::from_utf8_lossy(entry.header().identifier()).into_owned();
        if let Some(compression) = part.strip_prefix("data.tar") {
            return unpack_data(entry, compression, into)
                .map_err(|error| io_fault(format!("{name}: {part}"), &error));
        }
    }
    Err(bad(format!("{name}: this package has no data.tar")))
}

fn unpack_data(data: impl Read, compression: &str, into: &Path) -> io::Result<()> {
    match compression {
        ".xz" => unpack_tar(lzma_rust2::XzReader::new(data, true), into),
        ".zst" => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(data);
            unpack_tar(decoder.map_err(io::Error::other)?, into)
        }
        ".gz" => unpack_tar(flate2::read::GzDecoder::new(data), into),
        "" => unpack_tar(data, into),
        other => Err(io::Error::other(format!(
            "compression {other} is not known"
        ))),
    }
}

fn unpack_tar(data: impl Read, into: &Path) -> io::Result<()> {
    let mut found = false;
    for entry in tar::Archive::new(data).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        if entry.header().entry_type().is_file() && is_needed(&path) {
            let target = into.join(plain(&path));
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)?;
            }
            found |= is_image(&path);
            let mut file = File::create(&target)?;
            io::copy(&mut entry, &mut file)?;
        }
    }
    match found {
        true => Ok(()),
        false => Err(io::Error::other("there is no boot/vmlinuz-*")),
    }
}

/// A path without `./`, `/` and `..`.
fn plain(path: &Path) -> PathBuf {
    let words = path
        .components()
        .filter(|c| matches!(c, Component::Normal(_)));
    words.collect()
}

fn is_image(path: &Path) -> bool {
    plain(path).to_string_lossy().starts_with("boot/vmlinuz-")
}

fn is_needed(path: &Path) -> bool {
    let path = plain(path).to_string_lossy().into_owned();
    let path = path.strip_prefix("usr/").unwrap_or(&path);
    if path.starts_with("boot/vmlinuz-") || path.starts_with("boot/config-") {
        return true;
    }
    let below = path.strip_prefix("lib/modules/");
    let below = below.and_then(|rest| Some(rest.split_once('/')?.1));
    below.is_some_and(|rest| NEEDED.iter().any(|start| rest.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(files: &[(&str, &[u8])], folder: &Path) -> PathBuf {
        let mut inner = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            inner.append_data(&mut header, name, *bytes).expect("tar");
        }
        let data = inner.into_inner().expect("tar");
        let path = folder.join("k.deb");
        let mut outer = ar::Builder::new(File::create(&path).expect("a file"));
        for (name, bytes) in [("debian-binary", &b"2.0\n"[..]), ("data.tar", &data)] {
            let header = ar::Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
            outer.append(&header, bytes).expect("ar");
        }
        path
    }

    #[test]
    fn unpacks_the_kernel_and_the_modules_that_a_run_needs() {
        let folder = tempfile::tempdir().expect("a folder");
        let into = folder.path().join("out");
        let path = package(
            &[
                ("boot/vmlinuz-6.1.0-50-amd64", b"kernel"),
                ("lib/modules/6.1.0-50-amd64/kernel/fs/ext4/ext4.ko", b"ext4"),
                (
                    "lib/modules/6.1.0-50-amd64/kernel/drivers/gpu/big.ko",
                    b"gpu",
                ),
                ("usr/share/doc/x", b"doc"),
            ],
            folder.path(),
        );
        unpack_deb(&path, &into).expect("unpacks");
        let read = |name: &str| fs::read(into.join(name)).ok();
        assert_eq!(
            read("boot/vmlinuz-6.1.0-50-amd64").as_deref(),
            Some(&b"kernel"[..])
        );
        assert!(read("lib/modules/6.1.0-50-amd64/kernel/fs/ext4/ext4.ko").is_some());
        assert!(read("lib/modules/6.1.0-50-amd64/kernel/drivers/gpu/big.ko").is_none());
        assert!(read("usr/share/doc/x").is_none());
    }

    #[test]
    fn refuses_a_file_that_is_not_a_package_of_a_kernel() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = folder.path().join("text.deb");
        fs::write(&text, "no package").expect("a file");
        assert!(unpack_deb(&text, folder.path()).is_err());
        let other = package(&[("usr/share/doc/x", b"doc")], folder.path());
        let refused = unpack_deb(&other, folder.path()).expect_err("no kernel");
        assert!(format!("{refused:?}").contains("vmlinuz"), "{refused:?}");
    }
}
