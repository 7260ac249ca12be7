//! Converts the words of a trace: task names, times, gfp flags, pages.
//!
//! Modelled: how each era prints them. Left out: gfp flags that the engine lacks; a reader keeps their text.
//! Invariants: a word that is printed contains no space, colon or other character at which a script splits.

use mm::gfp::Gfp;

use crate::NOTHING;
use crate::dialect::{Dialect, Era};

/// Why a task waits in reclaim, by number.
pub const THROTTLES: [&str; 4] = [
    "VMSCAN_THROTTLE_WRITEBACK",
    "VMSCAN_THROTTLE_ISOLATED",
    "VMSCAN_THROTTLE_NOPROGRESS",
    "VMSCAN_THROTTLE_CONGESTED",
];

/// Longest name of a task.
const LONGEST: usize = 15;

/// A name as scripts read it. The part after the last slash, which identifies the instance, is kept.
pub fn comm(name: &str) -> String {
    let (first, last) = match name.rsplit_once('/') {
        Some((first, last)) => (clean(first), clean(last)),
        None => (clean(name), String::new()),
    };
    let room = LONGEST.saturating_sub(last.len() + usize::from(!last.is_empty()));
    let mut out: String = first.chars().take(room).collect();
    if !last.is_empty() {
        out.push('-');
        out.push_str(&last);
    }
    out.chars().take(LONGEST).collect()
}

/// Consecutive other characters become one hyphen.
fn clean(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_string()
}

/// A time in seconds: "    1.000012", rounded down.
pub fn clock(ns: u64) -> String {
    let us = ns / 1000;
    format!("{:5}.{:06}", us / 1_000_000, us % 1_000_000)
}

/// A page and its frame number.
pub fn page(d: &Dialect, n: i64) -> String {
    format!("page={} pfn={}", address(n), pfn(d, n))
}

/// The address of a page record, made up: no kernel has one there. 0 is no page.
pub fn address(pfn: i64) -> String {
    match pfn {
        NOTHING => format!("{:016x}", 0),
        pfn => format!("{:016x}", 0xea00_0000_i64 + pfn * 64),
    }
}

/// A page frame number; 0 for no page.
pub fn pfn(d: &Dialect, n: i64) -> String {
    let n = if n == NOTHING { 0 } else { n };
    if d.era >= Era::V5_15 {
        format!("0x{n:x}")
    } else {
        n.to_string()
    }
}

/// Sets that print as one word, then single flags; the remaining bits are printed in hex. The sets of huge
/// pages come first. Those of old kernels lack the flags for I/O here, so there the set of a fault comes
/// first.
type Names = [(Gfp, &'static str)];

const OLD: &Names = &[
    (Gfp(OLD_MOVABLE), "GFP_HIGHUSER_MOVABLE"),
    (Gfp::HUGE_WITHOUT_IO[0], "GFP_TRANSHUGE"),
    (Gfp(OLD_KERNEL), "GFP_KERNEL"),
    (Gfp(OLD_NOFS), "GFP_NOFS"),
    (Gfp::HIGH, "GFP_ATOMIC"),
    (Gfp::DIRECT_RECLAIM, "GFP_NOIO"),
    (Gfp::IO, "GFP_IO"),
    (Gfp::REPEAT, "GFP_REPEAT"),
    (Gfp::NORETRY, "GFP_NORETRY"),
    (Gfp::COMP, "GFP_COMP"),
    (Gfp::ZERO, "GFP_ZERO"),
    (Gfp::THISNODE, "GFP_THISNODE"),
    (Gfp::RECLAIMABLE, "GFP_RECLAIMABLE"),
    (Gfp::MOVABLE, "GFP_MOVABLE"),
];
/// To 4.3 waking kswapd was not a flag.
const OLD_NOFS: u16 = Gfp::DIRECT_RECLAIM.0 | Gfp::IO.0;
const OLD_KERNEL: u16 = OLD_NOFS | Gfp::FS.0;
const OLD_MOVABLE: u16 = OLD_KERNEL | Gfp::MOVABLE.0;
/// Flags without a name, as the kernel's bits.
const OLD_BITS: [(Gfp, u32); 4] = [
    (Gfp::DMA, 0x01),
    (Gfp::DMA32, 0x04),
    (Gfp::FS, 0x80),
    (Gfp::WRITE, 0x0100_0000),
];

const NEW: &Names = &[
    (Gfp::GFP_TRANSHUGE, "GFP_TRANSHUGE"),
    (Gfp::GFP_TRANSHUGE_LIGHT, "GFP_TRANSHUGE_LIGHT"),
    (Gfp::GFP_HIGHUSER_MOVABLE, "GFP_HIGHUSER_MOVABLE"),
    (Gfp::GFP_KERNEL, "GFP_KERNEL"),
    (Gfp::GFP_NOFS, "GFP_NOFS"),
    (Gfp::GFP_ATOMIC, "GFP_ATOMIC"),
    (Gfp(NEW_NOIO), "GFP_NOIO"),
    (Gfp::KSWAPD_RECLAIM, "GFP_NOWAIT"),
    (Gfp::DMA, "GFP_DMA"),
    (Gfp::DMA32, "GFP_DMA32"),
    (Gfp::HIGH, "__GFP_HIGH"),
    (Gfp::IO, "__GFP_IO"),
    (Gfp::FS, "__GFP_FS"),
    (Gfp::REPEAT, "__GFP_RETRY_MAYFAIL"),
    (Gfp::NORETRY, "__GFP_NORETRY"),
    (Gfp::COMP, "__GFP_COMP"),
    (Gfp::ZERO, "__GFP_ZERO"),
    (Gfp::THISNODE, "__GFP_THISNODE"),
    (Gfp::RECLAIMABLE, "__GFP_RECLAIMABLE"),
    (Gfp::MOVABLE, "__GFP_MOVABLE"),
    (Gfp::WRITE, "__GFP_WRITE"),
    (Gfp::DIRECT_RECLAIM, "__GFP_DIRECT_RECLAIM"),
];
const NEW_NOIO: u16 = Gfp::DIRECT_RECLAIM.0 | Gfp::KSWAPD_RECLAIM.0;

/// gfp flags by their names in this era.
pub fn gfp(d: &Dialect, flags: i64) -> String {
    let mut rest = Gfp(flags as u16);
    let old = d.is_old();
    if old {
        rest = rest.without(Gfp::KSWAPD_RECLAIM);
    }
    let mut out = String::new();
    let mut add = |word: &str| {
        if !out.is_empty() {
            out.push('|');
        }
        out.push_str(word);
    };
    let waits = rest.has(Gfp(NEW_NOIO));
    for &(set, name) in if old { OLD } else { NEW } {
        // The kernel's set also has __GFP_NOMEMALLOC and __GFP_NOWARN, which the engine lacks: a request that
        // wakes kswapd and reclaims is an ordinary one.
        if rest.has(set) && !(waits && set == Gfp::GFP_TRANSHUGE_LIGHT) {
            add(name);
            rest = rest.without(set);
        }
    }
    if old {
        let unnamed = OLD_BITS.iter().filter(|(flag, _)| rest.has(*flag));
        let bits: u32 = unnamed.map(|(_, bit)| bit).sum();
        if bits > 0 {
            add(&format!("0x{bits:x}"));
        }
    }
    match (out.is_empty(), old) {
        (true, true) => "GFP_NOWAIT".to_string(),
        (true, false) => "none".to_string(),
        _ => out,
    }
}

/// The number of a migrate type in this era: reclaimable and movable changed places in 3.19.
pub fn migratetype(d: &Dialect, t: i64) -> i64 {
    match (d.is_old(), t) {
        (true, 1) => 2,
        (true, 2) => 1,
        _ => t,
    }
}

/// gfp flags that were printed by their names, of any era, as the engine has them. Names that the engine
/// lacks are left out. To 4.3 waking kswapd was no flag: see [`Era::is_old`].
pub fn read_gfp(text: &str) -> Option<i64> {
    let mut all = Gfp(0);
    for word in text.split('|') {
        let word = word.trim();
        match word.strip_prefix("0x") {
            Some(bits) => {
                let bits = u64::from_str_radix(bits, 16).ok()?;
                let named = OLD_BITS
                    .iter()
                    .filter(|(_, bit)| bits & u64::from(*bit) != 0);
                all = named.fold(all, |all, &(flag, _)| all.with(flag));
            }
            None => all = all.with(flag_named(word)?),
        }
    }
    Some(all.0.into())
}

/// What was always so before it was a flag: kswapd is woken.
pub fn old_gfp(flags: i64) -> i64 {
    flags | i64::from(Gfp::KSWAPD_RECLAIM.0)
}

fn flag_named(word: &str) -> Option<Gfp> {
    if let Some(&(set, _)) = NEW.iter().find(|&&(_, name)| name == word) {
        return Some(set);
    }
    let bare = word
        .strip_prefix("__GFP_")
        .or_else(|| word.strip_prefix("GFP_"));
    Some(match bare {
        None if word == "none" => Gfp(0),
        None => return None,
        Some("HIGHUSER" | "USER" | "KERNEL_ACCOUNT") => Gfp::GFP_KERNEL,
        Some("TEMPORARY") => Gfp::GFP_KERNEL.with(Gfp::RECLAIMABLE),
        Some("RECLAIM") => Gfp(NEW_NOIO),
        Some("WAIT" | "DIRECT_RECLAIM") => Gfp::DIRECT_RECLAIM,
        Some("KSWAPD_RECLAIM") => Gfp::KSWAPD_RECLAIM,
        Some("HIGH") => Gfp::HIGH,
        Some("IO") => Gfp::IO,
        Some("FS") => Gfp::FS,
        Some("REPEAT" | "RETRY_MAYFAIL") => Gfp::REPEAT,
        Some("NORETRY") => Gfp::NORETRY,
        Some("COMP") => Gfp::COMP,
        Some("ZERO") => Gfp::ZERO,
        Some("THISNODE") => Gfp::THISNODE,
        Some("RECLAIMABLE") => Gfp::RECLAIMABLE,
        Some("MOVABLE") => Gfp::MOVABLE,
        Some("WRITE") => Gfp::WRITE,
        // The engine lacks it.
        Some(_) => Gfp(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(era: Era) -> Dialect {
        Dialect::whole(era, Vec::new(), 9)
    }

    #[test]
    fn shortened_task_names_keep_the_instance_number() {
        for (name, told) in [
            ("kswapd0", "kswapd0"),
            ("flush-8:0", "flush-8-0"),
            ("fs_mark/1", "fs-mark-1"),
            ("streaming mapped writer/12", "streaming-ma-12"),
            ("say hi (twice)/1", "say-hi-twice-1"),
        ] {
            assert_eq!(comm(name), told);
            assert!(comm(name).len() <= 15);
        }
    }

    #[test]
    fn prints_times_truncated_to_six_decimals() {
        assert_eq!(clock(1_000_012_999), "    1.000012");
        assert_eq!(clock(123_456_789_012_345), "123456.789012");
    }

    #[test]
    fn prints_gfp_flags_by_the_names_of_the_era() {
        let (old, new) = (dialect(Era::V3_16), dialect(Era::V6_1));
        let told = |flags: Gfp| [gfp(&old, flags.0.into()), gfp(&new, flags.0.into())];
        let fault = Gfp::GFP_HIGHUSER_MOVABLE.with(Gfp::COMP).with(Gfp::ZERO);
        assert_eq!(
            told(fault),
            [
                "GFP_HIGHUSER_MOVABLE|GFP_COMP|GFP_ZERO",
                "GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO"
            ]
        );
        assert_eq!(told(Gfp(0)), ["GFP_NOWAIT", "none"]);
        assert_eq!(told(Gfp::GFP_ATOMIC), ["GFP_ATOMIC", "GFP_ATOMIC"]);
        assert_eq!(told(Gfp::GFP_NOFS), ["GFP_NOFS", "GFP_NOFS"]);
        let dma32 = Gfp::GFP_KERNEL.with(Gfp::DMA32);
        assert_eq!(told(dma32), ["GFP_KERNEL|0x4", "GFP_KERNEL|GFP_DMA32"]);
    }

    #[test]
    fn prints_pages_in_hexadecimal_from_5_14_on() {
        assert_eq!(
            page(&dialect(Era::V5_10), 18),
            "page=00000000ea000480 pfn=18"
        );
        assert_eq!(
            page(&dialect(Era::V5_15), 18),
            "page=00000000ea000480 pfn=0x12"
        );
        assert_eq!(
            page(&dialect(Era::V3_16), NOTHING),
            "page=0000000000000000 pfn=0"
        );
    }
}
