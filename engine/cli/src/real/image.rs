//! The kernel inside a bzImage: the ELF file that it unpacks when it boots. QEMU boots that directly, which
//! saves the emulated processor the unpacking.

use std::io::Read;

/// The magic number of the header (`HdrS`) and its offset.
const MAGIC: (usize, &[u8]) = (0x202, b"HdrS");
/// The first version of the boot protocol that says where the payload is.
const VERSION: u16 = 0x208;
/// The maximum size of an unpacked kernel, bytes.
const MOST: u64 = 1 << 29;

/// The header data of a bzImage.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// The release: "6.1.0-50-amd64".
    pub release: String,
    payload: std::ops::Range<usize>,
}

impl Header {
    /// Reads the header of a bzImage.
    ///
    /// # Errors
    /// The bytes are not a bzImage; the sentence says why.
    pub fn read(image: &[u8]) -> Result<Header, String> {
        let (at, magic) = MAGIC;
        if image.get(at..at + magic.len()) != Some(magic) {
            return Err("this is not a Linux kernel for x86 (bzImage)".to_string());
        }
        let short = || "the kernel's header is cut off".to_string();
        if word(image, 0x206).ok_or_else(short)? < VERSION {
            return Err("the kernel's boot protocol is older than 2.08".to_string());
        }
        let name = 0x200 + usize::from(word(image, 0x20e).ok_or_else(short)?);
        let name = image.get(name..).unwrap_or_default();
        let name: Vec<u8> = name
            .iter()
            .copied()
            .take(200)
            .take_while(|b| *b > b' ')
            .collect();
        let sectors = match image[0x1f1] {
            0 => 4,
            n => usize::from(n),
        };
        let start = (sectors + 1) * 512 + number(image, 0x248).ok_or_else(short)?;
        let end = start + number(image, 0x24c).ok_or_else(short)?;
        if end > image.len() {
            return Err("the kernel is cut off".to_string());
        }
        Ok(Header {
            release: String::from_utf8_lossy(&name).into_owned(),
            payload: start..end,
        })
    }

    /// The ELF file of the kernel.
    ///
    /// # Errors
    /// The kernel could not be unpacked; the sentence says why.
    pub fn vmlinux(&self, image: &[u8]) -> Result<Vec<u8>, String> {
        let payload = &image[self.payload.clone()];
        let unpacked = match payload {
            [0xfd, b'7', b'z', b'X', b'Z', ..] => all(lzma_rust2::XzReader::new(payload, false)),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => ruzstd::decoding::StreamingDecoder::new(payload)
                .map_err(|error| error.to_string())
                .and_then(all),
            [0x1f, 0x8b, ..] => all(flate2::read::GzDecoder::new(payload)),
            [0x7f, b'E', b'L', b'F', ..] => Ok(payload.to_vec()),
            _ => Err("its compression is not xz, zstd or gzip".to_string()),
        }?;
        match unpacked.starts_with(b"\x7fELF") {
            true => Ok(unpacked),
            false => Err("it does not contain an ELF file".to_string()),
        }
    }
}

/// The memory that the parts of an ELF file for x86-64 take when they are loaded, bytes.
pub fn loaded_bytes(elf: &[u8]) -> u64 {
    let long = |at: usize| Some(u64::from_le_bytes(elf.get(at..at + 8)?.try_into().ok()?));
    let headers = || Some((long(32)? as usize, word(elf, 54)?, word(elf, 56)?));
    let Some((first, size, count)) = headers() else {
        return 0;
    };
    let each = (0..usize::from(count)).map(|i| first + i * usize::from(size));
    let loads = each.filter(|&at| number(elf, at) == Some(1));
    loads.filter_map(|at| long(at + 40)).sum()
}

fn all(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let read = reader.take(MOST).read_to_end(&mut out);
    read.map(|_| out).map_err(|error| error.to_string())
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(four)).ok()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::io::Write as _;

    /// A bzImage with this release and payload.
    pub fn bzimage(release: &str, payload: &[u8]) -> Vec<u8> {
        let mut image = vec![0u8; 1024];
        image[0x1f1] = 1;
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x206..0x208].copy_from_slice(&0x20fu16.to_le_bytes());
        image[0x20e..0x210].copy_from_slice(&0x80u16.to_le_bytes());
        image[0x280..0x280 + release.len()].copy_from_slice(release.as_bytes());
        image[0x248..0x24c].copy_from_slice(&0u32.to_le_bytes());
        image[0x24c..0x250].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        image.extend_from_slice(payload);
        image
    }

    #[test]
    fn finds_the_release_and_unpacks_the_kernel() {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(b"\x7fELF kernel").expect("in memory");
        let image = bzimage("6.1.0-50-amd64 (x) #1", &gz.finish().expect("in memory"));
        let header = Header::read(&image).expect("a bzImage");
        assert_eq!(header.release, "6.1.0-50-amd64");
        assert_eq!(header.vmlinux(&image), Ok(b"\x7fELF kernel".to_vec()));
    }

    #[test]
    fn refuses_a_file_that_is_not_a_kernel() {
        assert!(Header::read(b"text").is_err());
        assert!(Header::read(&[0; 2048]).is_err());
        let image = bzimage("6.1", b"BZh9");
        let header = Header::read(&image).expect("a bzImage");
        assert!(header.vmlinux(&image).is_err());
        let cut = Header::read(&image[..image.len() - 1]);
        assert_eq!(cut, Err("the kernel is cut off".to_string()));
    }

    #[test]
    fn adds_up_the_loaded_parts_of_an_elf_file() {
        let mut elf = vec![0u8; 64 + 2 * 56];
        elf[32] = 64;
        elf[54] = 56;
        elf[56] = 2;
        for (at, kind, bytes) in [(64, 1u32, 5000u64), (120, 4, 7000)] {
            elf[at..at + 4].copy_from_slice(&kind.to_le_bytes());
            elf[at + 40..at + 48].copy_from_slice(&bytes.to_le_bytes());
        }
        assert_eq!(loaded_bytes(&elf), 5000);
        assert_eq!(loaded_bytes(b"short"), 0);
    }
}
