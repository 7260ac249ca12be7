//! The virtual machine, and the command line of QEMU that makes it.

use std::path::{Path, PathBuf};

/// The candidate names of the emulator, in order.
pub const QEMU: [&str; 2] = ["qemu-system-x86_64", "/usr/libexec/qemu-kvm"];

/// One node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// MiB of memory; 0 for a node with CPUs only.
    pub mib: u64,
    /// CPUs.
    pub cpus: u16,
}

/// One disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    /// Bytes.
    pub bytes: u64,
    /// The maximum bytes per second, both directions together.
    pub bytes_per_s: u64,
}

/// A virtual machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vm {
    /// Nodes in order.
    pub nodes: Vec<Node>,
    /// Distances, one row for each node.
    pub distances: Vec<Vec<u8>>,
    /// The disk of the workload's files.
    pub data: Option<Disk>,
    /// The disk of swap space.
    pub swap: Option<Disk>,
    /// Words of the kernel's command line, besides those of every run.
    pub append: Vec<String>,
}

/// The files of a run.
#[derive(Debug, Clone)]
pub struct Files {
    /// The kernel.
    pub kernel: PathBuf,
    /// The initramfs.
    pub initramfs: PathBuf,
    /// The folder of the disks' images.
    pub disks: PathBuf,
    /// The output of the console.
    pub console: PathBuf,
}

impl Files {
    /// The files of a run in one folder.
    pub fn in_folder(folder: &Path, kernel: PathBuf) -> Files {
        Files {
            kernel,
            initramfs: folder.join("initramfs.cpio.gz"),
            disks: folder.to_path_buf(),
            console: folder.join("console.log"),
        }
    }

    /// The image of a disk.
    pub fn image(&self, disk: &str) -> PathBuf {
        self.disks.join(format!("{disk}.img"))
    }
}

/// The disk to which the capture is written.
pub const OUT: &str = "out";

impl Vm {
    /// All disks in the order of their names in the guest: name and rate. The last one is [`OUT`].
    pub fn disks(&self) -> Vec<(&'static str, Option<&Disk>)> {
        let data = self.data.as_ref().map(|disk| ("data", Some(disk)));
        let swap = self.swap.as_ref().map(|disk| ("swap", Some(disk)));
        data.into_iter().chain(swap).chain([(OUT, None)]).collect()
    }

    /// The name of a disk in the guest: "/dev/vda".
    pub fn device(&self, disk: &str) -> Option<String> {
        let place = self.disks().iter().position(|(name, _)| *name == disk)?;
        Some(format!("/dev/vd{}", (b'a' + place as u8) as char))
    }

    /// Memory of all nodes, MiB.
    pub fn mib(&self) -> u64 {
        self.nodes.iter().map(|node| node.mib).sum()
    }

    /// CPUs of all nodes.
    pub fn cpus(&self) -> u16 {
        self.nodes.iter().map(|node| node.cpus).sum()
    }

    /// The kernel's command line. The kernel's timer check is switched off, because it sometimes
    /// fails on a busy computer, where the emulated CPU does not run for long enough.
    pub fn command_line(&self) -> String {
        let fixed = "console=ttyS0 quiet panic=-1 no_timer_check rdinit=/init rootfstype=ramfs";
        let words = self.append.iter().map(String::as_str);
        [fixed]
            .into_iter()
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The arguments of QEMU. The emulated CPUs take turns on one thread, as in the captures that come with
    /// mmscope, so that a run depends less on the computer.
    pub fn arguments(&self, files: &Files) -> Vec<String> {
        let mut out: Vec<String> = [
            "-machine",
            "q35",
            "-accel",
            "tcg,thread=single",
            "-cpu",
            "max",
            "-nodefaults",
            "-no-user-config",
            "-display",
            "none",
            "-monitor",
            "none",
            "-nic",
            "none",
            "-no-reboot",
        ]
        .map(str::to_string)
        .to_vec();
        let mut add = |name: &str, value: String| out.extend([name.to_string(), value]);
        add("-m", format!("{}M", self.mib()));
        add("-smp", self.cpus().to_string());
        if self.nodes.len() > 1 {
            self.numa(&mut add);
        }
        add("-serial", format!("file:{}", files.console.display()));
        add("-kernel", files.kernel.display().to_string());
        add("-initrd", files.initramfs.display().to_string());
        add("-append", self.command_line());
        for (name, disk) in self.disks() {
            let image = files.image(name).display().to_string().replace(',', ",,");
            let rate = disk.map_or(String::new(), |disk| {
                format!(",throttling.bps-total={}", disk.bytes_per_s)
            });
            add(
                "-drive",
                format!("file={image},if=none,id={name},format=raw,cache=unsafe{rate}"),
            );
            add("-device", format!("virtio-blk-pci,drive={name}"));
        }
        out
    }

    fn numa(&self, add: &mut impl FnMut(&str, String)) {
        let mut first = 0;
        for (i, node) in self.nodes.iter().enumerate() {
            let mut numa = format!("node,nodeid={i}");
            if node.cpus > 0 {
                numa += &format!(",cpus={first}-{}", first + node.cpus - 1);
                first += node.cpus;
            }
            if node.mib > 0 {
                add(
                    "-object",
                    format!("memory-backend-ram,id=m{i},size={}M", node.mib),
                );
                numa += &format!(",memdev=m{i}");
            }
            add("-numa", numa);
        }
        for (from, row) in self.distances.iter().enumerate() {
            for (to, distance) in row.iter().enumerate() {
                if from != to {
                    add("-numa", format!("dist,src={from},dst={to},val={distance}"));
                }
            }
        }
    }
}

/// A command line for a shell.
pub fn for_shell(program: &str, arguments: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+%".contains(c);
    let quoted = |word: &String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    let mut lines = vec![program.to_string()];
    for word in arguments {
        match word.starts_with('-') {
            true => lines.push(format!("  {}", quoted(word))),
            false => {
                if let Some(line) = lines.last_mut() {
                    *line += &format!(" {}", quoted(word));
                }
            }
        }
    }
    lines.join(" \\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vm() -> Vm {
        Vm {
            nodes: vec![Node { mib: 256, cpus: 2 }, Node { mib: 128, cpus: 1 }],
            distances: vec![vec![10, 20], vec![20, 10]],
            data: Some(Disk {
                bytes: 1 << 30,
                bytes_per_s: 110_000_000,
            }),
            swap: Some(Disk {
                bytes: 1 << 28,
                bytes_per_s: 50_000_000,
            }),
            append: vec!["transparent_hugepage=never".to_string()],
        }
    }

    #[test]
    fn writes_the_command_line_of_two_nodes_and_three_disks() {
        let files = Files::in_folder(Path::new("/t"), PathBuf::from("/k/vmlinux"));
        let text = for_shell(QEMU[0], &vm().arguments(&files));
        let expected = "qemu-system-x86_64 \\
  -machine q35 \\
  -accel tcg,thread=single \\
  -cpu max \\
  -nodefaults \\
  -no-user-config \\
  -display none \\
  -monitor none \\
  -nic none \\
  -no-reboot \\
  -m 384M \\
  -smp 3 \\
  -object memory-backend-ram,id=m0,size=256M \\
  -numa node,nodeid=0,cpus=0-1,memdev=m0 \\
  -object memory-backend-ram,id=m1,size=128M \\
  -numa node,nodeid=1,cpus=2-2,memdev=m1 \\
  -numa dist,src=0,dst=1,val=20 \\
  -numa dist,src=1,dst=0,val=20 \\
  -serial file:/t/console.log \\
  -kernel /k/vmlinux \\
  -initrd /t/initramfs.cpio.gz \\
  -append 'console=ttyS0 quiet panic=-1 no_timer_check rdinit=/init rootfstype=ramfs transparent_hugepage=never' \\
  -drive file=/t/data.img,if=none,id=data,format=raw,cache=unsafe,throttling.bps-total=110000000 \\
  -device virtio-blk-pci,drive=data \\
  -drive file=/t/swap.img,if=none,id=swap,format=raw,cache=unsafe,throttling.bps-total=50000000 \\
  -device virtio-blk-pci,drive=swap \\
  -drive file=/t/out.img,if=none,id=out,format=raw,cache=unsafe \\
  -device virtio-blk-pci,drive=out";
        assert_eq!(text, expected);
    }

    #[test]
    fn names_the_disks_in_the_guest_in_their_order() {
        let mut vm = vm();
        assert_eq!(vm.device("out").as_deref(), Some("/dev/vdc"));
        vm.data = None;
        assert_eq!(vm.device("data"), None);
        assert_eq!(vm.device("swap").as_deref(), Some("/dev/vda"));
    }

    #[test]
    fn omits_numa_options_on_one_node_and_quotes_arguments_for_a_shell() {
        let mut vm = vm();
        vm.nodes.truncate(1);
        let files = Files::in_folder(Path::new("/it's"), PathBuf::from("k"));
        let text = for_shell("qemu", &vm.arguments(&files));
        assert!(!text.contains("numa"), "{text}");
        assert!(text.contains(r"'file:/it'\''s/console.log'"), "{text}");
    }
}
