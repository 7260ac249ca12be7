//! The destination of the capture: a folder, or a tar archive on a block device.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A file of the capture.
pub type Named = (String, Vec<u8>);

/// Writes the files into a folder.
pub fn to_folder(folder: &Path, files: &[Named]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

/// Writes the files as a tar archive to a device.
pub fn to_device(device: &str, files: &[Named]) -> io::Result<()> {
    let device = OpenOptions::new().write(true).open(device)?;
    let mut out = archive(BufWriter::new(device), files)?;
    out.flush()?;
    out.get_ref().sync_all()
}

fn archive<W: Write>(out: W, files: &[Named]) -> io::Result<W> {
    let mut tar = tar::Builder::new(out);
    for (name, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, bytes.as_slice())?;
    }
    tar.into_inner()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn an_archive_contains_all_files() {
        let files: [Named; 2] = [
            ("a.txt".into(), vec![1; 700]),
            ("b.json".into(), b"{}".to_vec()),
        ];
        let bytes = archive(Vec::new(), &files).expect("an archive");
        // The device is larger than the archive.
        let longer = [bytes, vec![7; 512]].concat();
        let mut tar = tar::Archive::new(longer.as_slice());
        let mut found = Vec::new();
        for entry in tar.entries().expect("entries") {
            let mut entry = entry.expect("an entry");
            let mut text = Vec::new();
            entry.read_to_end(&mut text).expect("contents");
            let path = entry.path().expect("a path").display().to_string();
            found.push((path, text.len()));
        }
        assert_eq!(
            found,
            [("a.txt".to_string(), 700), ("b.json".to_string(), 2)]
        );
    }
}
