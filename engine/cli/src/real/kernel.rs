//! Finds the kernel to boot and its files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Outcome, bad, io_fault};
use crate::output::say;
use crate::real::advice::Requirement;
use crate::real::archive::unpack_deb;
use crate::real::image::{self, Header};

/// The kernel variants for which real kernels can be booted, oldest first.
pub const SERIES: [&str; 3] = ["5.10", "6.1", "6.12"];

/// A kernel that can be booted.
#[derive(Debug, Clone)]
pub struct RealKernel {
    /// "6.1.0-50-amd64".
    pub release: String,
    /// The engine's kernel variant: "6.1".
    pub variant: &'static str,
    /// The bzImage.
    pub image: PathBuf,
    /// The folder of its modules.
    pub modules: PathBuf,
}

/// The kernel ready to boot.
#[derive(Debug)]
pub struct Bootable {
    /// The ELF file for `-kernel`.
    pub elf: PathBuf,
    /// Memory that it takes when it is loaded, bytes.
    pub loaded: u64,
}

/// The kernel variant of a release.
pub fn variant_of(release: &str) -> Option<&'static str> {
    let mut parts = release.split(['.', '-']);
    let series = format!("{}.{}", parts.next()?, parts.next()?);
    SERIES.into_iter().find(|id| *id == series)
}

/// The series nearest to a kernel variant of the engine, by the number of releases between them.
pub fn nearest_series(id: &str) -> &'static str {
    let wanted = ordinal(id).unwrap_or(0);
    let distance = |series: &&str| ordinal(series).map_or(u32::MAX, |n| n.abs_diff(wanted));
    SERIES.into_iter().min_by_key(distance).unwrap_or("6.1")
}

/// The number of a release, counted from 3.0. Names that are not a version come before 3.0.
fn ordinal(id: &str) -> Option<u32> {
    let start = id.find(|c: char| c.is_ascii_digit())?;
    let mut parts = id[start..].split(|c: char| !c.is_ascii_digit());
    let [major, minor]: [u32; 2] = [parts.next()?.parse().ok()?, parts.next()?.parse().ok()?];
    // The last minor numbers of 3, 4 and 5 are 19, 20 and 19.
    match major {
        3 => Some(minor),
        4 => Some(20 + minor),
        5 => Some(41 + minor),
        6 => Some(61 + minor),
        _ => None,
    }
}

/// The folder in which kernels are stored: `mmscope/kernels` in the user's cache.
pub fn cache() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty());
    let base = base.map(PathBuf::from).or_else(home);
    base.unwrap_or_else(std::env::temp_dir)
        .join("mmscope")
        .join("kernels")
}

/// Finds a kernel: a version to look for, a package, a folder with an unpacked package, or a bzImage
/// (with the folder of its modules).
///
/// # Errors
/// No kernel was found; the error says what to do.
pub fn find(wanted: &str, modules: Option<&str>) -> Outcome<RealKernel> {
    let path = Path::new(wanted);
    let found = if path.extension().is_some_and(|end| end == "deb") {
        of_package(path)?
    } else if path.is_dir() {
        of_folder(path, "")
            .ok_or_else(|| bad(format!("{wanted}: no vmlinuz-* in this folder or its boot")))?
    } else if path.is_file() {
        (path.to_path_buf(), None)
    } else if wanted.contains('/') {
        return Err(bad(format!("--kernel {wanted}: there is no such file")));
    } else {
        by_version(wanted)?
    };
    let (image, own) = found;
    let release = release_of(&image)?;
    let variant = variant_of(&release).ok_or_else(|| {
        let known = SERIES.join(", ");
        bad(format!(
            "{}: this is {release}; kernels of the series {known} can be compared",
            image.display()
        ))
    })?;
    let modules = match modules {
        Some(folder) => modules_in(Path::new(folder), &release),
        None => own,
    };
    let modules = modules.ok_or_else(|| {
        let reason = format!("{}: where are its modules? Give --modules DIR, the folder lib/modules/{release} of its package", image.display());
        bad(reason)
    })?;
    Ok(RealKernel {
        release,
        variant,
        image,
        modules,
    })
}

/// The bzImage, and the folder of the modules if it exists.
type Files = (PathBuf, Option<PathBuf>);

/// A kernel of this version in the cache, as a folder or a package; otherwise a kernel of this
/// computer.
fn by_version(version: &str) -> Outcome<Files> {
    let cache = cache();
    let mut entries: Vec<PathBuf> = fs::read_dir(&cache)
        .map(|all| all.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    entries.sort();
    let folders = entries.iter().filter(|path| path.is_dir());
    let here = [cache.clone(), PathBuf::from("/")];
    for folder in folders.chain(&here) {
        if let Some(found) = of_folder(folder, version) {
            return Ok(found);
        }
    }
    if let Some(package) = entries.iter().find(|path| is_package(path, version)) {
        return of_package(package);
    }
    let reason = format!(
        "no kernel {version} was found in {}: a run needs a kernel package",
        cache.display()
    );
    Err(Requirement::Kernel.missing(&reason))
}

fn is_package(path: &Path, version: &str) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    let rest = name
        .strip_prefix("linux-image-")
        .filter(|_| name.ends_with(".deb"));
    rest.is_some_and(|rest| is_of(rest, version))
}

/// "6.1.0-50-amd64" is of the version 6.1; "6.12.95" is not. Without a version, every release is.
fn is_of(release: &str, version: &str) -> bool {
    let rest = release.strip_prefix(version);
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    version.is_empty() || rest.is_some_and(|rest| !goes_on(rest))
}

/// Unpacks a package into the cache, once.
fn of_package(package: &Path) -> Outcome<Files> {
    let name = package
        .file_stem()
        .map(|name| name.to_string_lossy().into_owned());
    let folder = cache().join(name.unwrap_or_default());
    if let Some(found) = of_folder(&folder, "") {
        return Ok(found);
    }
    if !package.is_file() {
        return Err(bad(format!("{}: there is no such file", package.display())));
    }
    say(&format!(
        "unpacking {} into {} ...",
        package.display(),
        folder.display()
    ));
    // Interrupted unpacking does not leave a folder of this name.
    let part = folder.with_extension("part");
    let fault = |error: std::io::Error| io_fault(folder.display(), &error);
    let _ = fs::remove_dir_all(&part);
    fs::create_dir_all(&part).map_err(fault)?;
    unpack_deb(package, &part)?;
    fs::rename(&part, &folder).map_err(fault)?;
    of_folder(&folder, "")
        .ok_or_else(|| bad(format!("{}: the package has no kernel", package.display())))
}

/// The kernel of an unpacked package whose release begins with a version. The newest counts.
fn of_folder(folder: &Path, version: &str) -> Option<Files> {
    let places = [folder.join("boot"), folder.to_path_buf()];
    let mut images = Vec::new();
    for place in places {
        let all = fs::read_dir(place).into_iter().flatten();
        images.extend(all.filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?.strip_prefix("vmlinuz-")?;
            is_of(name, version).then(|| (name.to_string(), path.clone()))
        }));
    }
    images.sort();
    let (release, image) = images.pop()?;
    // A file that cannot be read, such as a distribution's own kernel, counts as missing.
    fs::File::open(&image).ok()?;
    Some((image, modules_in(folder, &release)))
}

fn modules_in(folder: &Path, release: &str) -> Option<PathBuf> {
    let below = ["lib/modules", "usr/lib/modules", ""];
    let places = below.iter().map(|place| folder.join(place).join(release));
    let mut places = places.chain([folder.to_path_buf()]);
    places.find(|place| place.join("kernel").is_dir())
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| io_fault(path.display(), &error))
}

fn release_of(image: &Path) -> Outcome<String> {
    let header = Header::read(&read(image)?);
    let header = header.map_err(|reason| bad(format!("{}: {reason}", image.display())))?;
    Ok(header.release)
}

impl RealKernel {
    /// The kernel's ELF file, unpacked into the cache once.
    ///
    /// # Errors
    /// The disk is full, or the kernel cannot be unpacked.
    pub fn bootable(&self) -> Outcome<Bootable> {
        let bytes = read(&self.image)?;
        let elf = cache().join(format!("vmlinux-{}-{:08x}", self.release, sum(&bytes)));
        let contents = match fs::read(&elf) {
            Ok(contents) => contents,
            Err(_) => {
                let at = |reason| bad(format!("{}: {reason}", self.image.display()));
                let contents = Header::read(&bytes)
                    .and_then(|header| header.vmlinux(&bytes))
                    .map_err(at)?;
                let fault = |error: std::io::Error| io_fault(elf.display(), &error);
                fs::create_dir_all(cache()).map_err(fault)?;
                let part = elf.with_extension(format!("part{}", std::process::id()));
                fs::write(&part, &contents).map_err(fault)?;
                fs::rename(&part, &elf).map_err(fault)?;
                contents
            }
        };
        Ok(Bootable {
            loaded: image::loaded_bytes(&contents),
            elf,
        })
    }
}

/// Distinguishes two builds of one release (FNV-1a).
fn sum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| (sum ^ u32::from(*byte)).wrapping_mul(16_777_619);
    bytes.iter().fold(2_166_136_261, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;
    use crate::real::image::tests::bzimage;

    #[test]
    fn names_the_variant_of_a_release_and_the_nearest_series() {
        assert_eq!(variant_of("6.1.0-50-amd64"), Some("6.1"));
        assert_eq!(variant_of("6.12.95+deb12-amd64"), Some("6.12"));
        assert_eq!(variant_of("5.15.0"), None);
        assert_eq!(variant_of("x"), None);
        for (id, series) in [
            ("6.1", "6.1"),
            ("6.12", "6.12"),
            ("5.15.0-rc1-vanilla", "5.10"),
            ("3.0", "5.10"),
            ("lumpyreclaim-traceonly", "5.10"),
        ] {
            assert_eq!(nearest_series(id), series, "{id}");
        }
    }

    #[test]
    fn finds_an_unpacked_package_and_its_modules() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        let release = "6.1.0-50-amd64";
        fs::create_dir_all(at.join("boot")).expect("a folder");
        let modules = at.join("lib/modules").join(release);
        fs::create_dir_all(modules.join("kernel")).expect("a folder");
        let image = at.join(format!("boot/vmlinuz-{release}"));
        fs::write(&image, bzimage(release, b"\x7fELF")).expect("a file");
        let found = find(&at.display().to_string(), None).expect("a kernel");
        assert_eq!((found.release.as_str(), found.variant), (release, "6.1"));
        assert_eq!(found.modules, modules);
        let alone = find(&image.display().to_string(), None).expect_err("no modules");
        assert!(matches!(alone, Failure::Bad(text) if text.contains("--modules DIR")));
        let given = modules.display().to_string();
        assert!(find(&image.display().to_string(), Some(&given)).is_ok());
    }

    #[test]
    fn distinguishes_versions_from_packages() {
        assert!(is_of("6.1.0-50-amd64", "6.1"));
        assert!(!is_of("6.12.95+deb12-amd64", "6.1"));
        assert!(is_package(
            Path::new("/x/linux-image-6.1.0-50-amd64_6.1_amd64.deb"),
            "6.1"
        ));
        assert!(!is_package(
            Path::new("/x/linux-headers-6.1.0_amd64.deb"),
            "6.1"
        ));
    }

    #[test]
    fn refuses_a_kernel_of_another_series() {
        let folder = tempfile::tempdir().expect("a folder");
        let image = folder.path().join("vmlinuz");
        fs::write(&image, bzimage("5.15.0-1", b"\x7fELF")).expect("a file");
        let refused = find(&image.display().to_string(), None).expect_err("5.15");
        assert!(matches!(refused, Failure::Bad(text) if text.contains("this is 5.15.0-1")));
    }
}
