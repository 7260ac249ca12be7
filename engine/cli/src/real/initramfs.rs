//! The initramfs of the virtual machine: a cpio archive in the format "newc", compressed.

use std::io::Write as _;

/// Mode of a folder and of a program.
const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const FILE: u32 = 0o100_644;

/// An archive that is being written.
#[derive(Debug, Default)]
pub struct Cpio {
    bytes: Vec<u8>,
    entries: u32,
}

impl Cpio {
    /// Adds a folder.
    pub fn folder(&mut self, path: &str) {
        self.entry(path, FOLDER, &[]);
    }

    /// Adds a file.
    pub fn file(&mut self, path: &str, contents: &[u8]) {
        self.entry(path, FILE, contents);
    }

    /// Adds a program.
    pub fn program(&mut self, path: &str, contents: &[u8]) {
        self.entry(path, PROGRAM, contents);
    }

    fn entry(&mut self, path: &str, mode: u32, contents: &[u8]) {
        self.entries += 1;
        let links = if mode == FOLDER { 2 } else { 1 };
        let name = path.len() as u32 + 1;
        let size = contents.len() as u32;
        let fields = [
            self.entries,
            mode,
            0,
            0,
            links,
            0,
            size,
            0,
            0,
            0,
            0,
            name,
            0,
        ];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes
                .extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(contents);
        self.pad();
    }

    /// Every part begins at a multiple of four bytes.
    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// The archive, uncompressed.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    /// The archive, compressed with gzip.
    ///
    /// # Panics
    /// Never: the output is in memory.
    pub fn compressed(self) -> Vec<u8> {
        let level = flate2::Compression::fast();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        encoder.write_all(&self.finish()).expect("in memory");
        encoder.finish().expect("in memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_the_headers_and_the_padding_of_newc() {
        let mut cpio = Cpio::default();
        cpio.folder("dev");
        cpio.program("init", b"hello");
        let bytes = cpio.finish();
        assert_eq!(bytes.len() % 4, 0);
        assert_eq!(&bytes[..14], b"07070100000001");
        assert_eq!(&bytes[14..22], b"000041ed");
        assert_eq!(&bytes[110..114], b"dev\0");
        // The second header begins after 110 + 4 bytes, padded to 116.
        assert_eq!(&bytes[116..122], b"070701");
        assert_eq!(&bytes[116 + 14..116 + 22], b"000081ed");
        assert_eq!(&bytes[116 + 54..116 + 62], b"00000005");
        assert_eq!(&bytes[226..231], b"init\0");
        assert_eq!(&bytes[232..237], b"hello");
        let end = String::from_utf8_lossy(&bytes);
        assert!(end.contains("TRAILER!!!"));
    }

    #[test]
    fn compresses_the_same_input_to_the_same_bytes() {
        let made = || {
            let mut cpio = Cpio::default();
            cpio.file("a", b"x");
            cpio
        };
        let mut out = Vec::new();
        let packed = made().compressed();
        let mut reader = flate2::read::GzDecoder::new(&packed[..]);
        std::io::Read::read_to_end(&mut reader, &mut out).expect("gzip");
        assert_eq!(out, made().finish());
    }
}
