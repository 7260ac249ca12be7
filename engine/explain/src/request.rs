//! The failed request: its flags, the zones it may use, and what it may do.
//!
//! Modelled: the names of flags, which kernels print from 4.6 on; the bits of older kernels
//! (include/linux/gfp.h of 3.10 and 4.4).
//! Left out: flags that no rule here uses.
//! Invariants: the zone bits are the same in all these kernels, so the zones never depend on a guess.

use facts::arch::ZoneType;
use facts::gfp::AllocFlags;

/// A request as a report prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The number of its line.
    pub line: usize,
    /// Its order.
    pub order: u8,
    /// Its gfp mask.
    pub mask: u64,
    /// The names of its flags; none before 4.6.
    pub names: Option<String>,
    /// The nodes to which it is restricted; none for all.
    pub nodemask: Option<Vec<u16>>,
}

/// Zone bits (include/linux/gfp.h, the same from 3.10 to 6.12).
const DMA: u64 = 1;
const HIGHMEM: u64 = 2;
const DMA32: u64 = 4;
const MOVABLE: u64 = 8;
const HIGH: u64 = 0x20;

/// Bits that changed in 4.4.
mod old {
    pub const WAIT: u64 = 0x10;
    pub const NO_KSWAPD: u64 = 0x40_0000;
}
mod of_4_4 {
    pub const ATOMIC: u64 = 0x8_0000;
    pub const DIRECT_RECLAIM: u64 = 0x40_0000;
    pub const KSWAPD_RECLAIM: u64 = 0x200_0000;
}
const NORETRY: u64 = 0x1000;
const NOMEMALLOC: u64 = 0x1_0000;
const THISNODE: u64 = 0x4_0000;

impl Request {
    /// The highest zone type that the request may use (`gfp_zone`).
    pub fn highest_zone(&self) -> ZoneType {
        let has = |bit: u64| self.mask & bit != 0;
        match () {
            () if has(HIGHMEM) && has(MOVABLE) => ZoneType::Movable,
            () if has(HIGHMEM) => ZoneType::HighMem,
            () if has(DMA32) => ZoneType::Dma32,
            () if has(DMA) => ZoneType::Dma,
            () => ZoneType::Normal,
        }
    }

    /// Whether the request may use free blocks of CMA areas.
    pub const fn is_movable(&self) -> bool {
        self.mask & MOVABLE != 0
    }

    fn has_name(&self, name: &str) -> bool {
        let names = self.names.as_deref().unwrap_or_default();
        names.split('|').any(|n| n == name)
    }

    /// For a mask without names: whether its bits are those of 4.4 and 4.5.
    const fn is_of_4_4(&self) -> bool {
        let waits_in_old = self.mask & old::WAIT != 0;
        self.mask & of_4_4::KSWAPD_RECLAIM != 0
            || (self.mask & of_4_4::DIRECT_RECLAIM != 0 && !waits_in_old)
    }

    /// Whether the request may sleep and reclaim.
    pub fn may_wait(&self) -> bool {
        match &self.names {
            None if self.is_of_4_4() => self.mask & of_4_4::DIRECT_RECLAIM != 0,
            None => self.mask & old::WAIT != 0,
            Some(names) => names.split('|').any(|name| {
                let never = ["GFP_ATOMIC", "GFP_NOWAIT", "GFP_TRANSHUGE_LIGHT"];
                let zones = ["GFP_DMA", "GFP_DMA32"];
                let is_set = name.starts_with("GFP_") && !zones.contains(&name);
                (is_set && !never.contains(&name))
                    || matches!(
                        name,
                        "__GFP_DIRECT_RECLAIM" | "__GFP_RECLAIM" | "__GFP_WAIT"
                    )
            }),
        }
    }

    /// What the request may do at the min watermark (`gfp_to_alloc_flags`).
    pub fn alloc_flags(&self) -> AllocFlags {
        let mut flags = AllocFlags::default();
        if self.mask & HIGH != 0 {
            flags = flags.with(AllocFlags::HIGH);
        }
        let keeps_out = self.has_name("__GFP_NOMEMALLOC")
            || (self.names.is_none() && self.mask & NOMEMALLOC != 0);
        if self.is_atomic() && !keeps_out {
            flags = flags.with(AllocFlags::HARDER);
        }
        flags
    }

    /// Whether the request counts as atomic.
    pub fn is_atomic(&self) -> bool {
        match &self.names {
            None if self.is_of_4_4() => self.mask & of_4_4::ATOMIC != 0,
            None => self.mask & (old::WAIT | old::NO_KSWAPD) == 0,
            Some(_) => self.has_name("GFP_ATOMIC") || self.has_name("__GFP_ATOMIC"),
        }
    }

    /// Whether the request gives up early.
    pub fn gives_up(&self) -> bool {
        match self.names {
            None => self.mask & NORETRY != 0,
            Some(_) => self.has_name("__GFP_NORETRY"),
        }
    }

    /// Whether the request may use only one node, which the report does not name.
    pub fn is_for_one_node(&self) -> bool {
        match self.names {
            None => self.mask & THISNODE != 0,
            Some(_) => self.has_name("__GFP_THISNODE"),
        }
    }

    /// The flags of the request in words.
    pub fn flags_words(&self) -> String {
        match &self.names {
            Some(names) => names.replace('|', " | "),
            None => format!("gfp mask {:#x}", self.mask),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(mask: u64, names: &str) -> Request {
        Request {
            line: 1,
            order: 0,
            mask,
            names: (!names.is_empty()).then(|| names.to_string()),
            nodemask: None,
        }
    }

    #[test]
    fn finds_the_zones_of_a_request_in_every_era() {
        for (mask, zone) in [
            (0x1_00dca, ZoneType::Movable),
            (0x201da, ZoneType::Movable),
            (0x240_00c0, ZoneType::Normal),
            (0xd0, ZoneType::Normal),
            (0xd1, ZoneType::Dma),
            (0xcc4, ZoneType::Dma32),
            (0x62_00c2, ZoneType::HighMem),
        ] {
            assert_eq!(request(mask, "").highest_zone(), zone, "{mask:#x}");
        }
    }

    #[test]
    fn detects_whether_a_request_may_wait() {
        for (mask, names, waits, atomic) in [
            (0x20, "", false, true),
            (0xd0, "", true, false),
            (0x201da, "", true, false),
            (0x208_0020, "", false, true),
            (0x240_00c0, "", true, false),
            (0x240_0020, "", true, false),
            (0xa20, "GFP_ATOMIC", false, true),
            (0x40a20, "GFP_ATOMIC|__GFP_COMP", false, true),
            (0x800, "GFP_NOWAIT", false, false),
            (0xcc0, "GFP_KERNEL", true, false),
            (0xcc4, "GFP_KERNEL|GFP_DMA32", true, false),
            (0x4, "GFP_DMA32", false, false),
        ] {
            let request = request(mask, names);
            assert_eq!(request.may_wait(), waits, "{mask:#x} {names}");
            assert_eq!(request.is_atomic(), atomic, "{mask:#x} {names}");
        }
        let atomic = request(0x20, "").alloc_flags();
        assert_eq!(atomic, AllocFlags::HIGH.with(AllocFlags::HARDER));
    }
}
