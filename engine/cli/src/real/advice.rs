//! What to install when a part is missing.

use crate::failure::{Failure, bad};

/// A part that a run on a real kernel needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// The emulator.
    Qemu,
    /// A kernel and its modules.
    Kernel,
    /// The program that makes an ext4 file system.
    Mkfs,
    /// The Rust target of the guest program.
    Target,
}

impl Requirement {
    /// How to install it, one line for each system.
    pub const fn advice(self) -> &'static [&'static str] {
        match self {
            Self::Qemu => &[
                "Debian, Ubuntu: apt-get install --no-install-recommends qemu-system-x86",
                "Fedora: dnf install qemu-system-x86-core",
                "Arch: pacman -S qemu-system-x86",
                "macOS: brew install qemu",
            ],
            Self::Kernel => &[
                "Debian 12: apt-get download linux-image-6.1.0-50-amd64 (apt-cache search linux-image-6.1 lists the releases)",
                "6.12 is in bookworm-backports, 5.10 in bullseye-security",
                "Fedora, Arch, macOS: download linux-image-6.1*_amd64.deb from http://deb.debian.org/debian/pool/main/l/linux-signed-amd64/",
                "then give the file: --kernel linux-image-....deb; it is unpacked, not installed",
            ],
            Self::Mkfs => &[
                "Debian, Ubuntu: apt-get install e2fsprogs",
                "Fedora: dnf install e2fsprogs",
                "Arch: pacman -S e2fsprogs",
                "macOS: brew install e2fsprogs, then add its sbin folder to PATH",
            ],
            Self::Target => &[
                "every system: rustup target add x86_64-unknown-linux-musl",
                "without rustup: install the target's standard library from your distribution (rust-std-static-x86_64-unknown-linux-musl on Fedora, rust-musl on Arch)",
            ],
        }
    }

    /// A failure with a sentence and the advice.
    pub fn missing(self, reason: &str) -> Failure {
        let lines = self.advice().iter().map(|line| format!("  {line}"));
        bad(reason).and(lines.collect::<Vec<_>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_a_package_for_each_system() {
        for part in [Requirement::Qemu, Requirement::Mkfs] {
            for system in ["Debian", "Fedora", "Arch", "macOS"] {
                let found = part.advice().iter().any(|line| line.contains(system));
                assert!(found, "{part:?} {system}");
            }
        }
        let Failure::Bad(text) = Requirement::Kernel.missing("no kernel 6.1 was found") else {
            panic!("bad input");
        };
        for word in ["apt-get download", "Fedora", "Arch", "macOS", "--kernel"] {
            assert!(text.contains(word), "{text}");
        }
    }
}
