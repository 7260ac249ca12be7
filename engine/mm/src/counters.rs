//! Event counters (mm/vmstat.c), by the names /proc/vmstat prints.
//!
//! Modelled: the events of allocating, freeing and faulting.
//! Left out: every other event: it stays 0 because nothing here causes it.
//! Invariants: `pgalloc` minus `pgfree` equals the pages allocated, per-cpu lists counted as free.

use crate::arch::ZoneType;
use crate::mmzone::MAX_ZONE_TYPES;

/// Event counts since boot.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Counters {
    /// Pages allocated, by zone type index.
    pub pgalloc: [u64; MAX_ZONE_TYPES],
    /// Pages freed.
    pub pgfree: u64,
    /// Minor faults.
    pub pgfault: u64,
    /// Huge pages mapped on a fault.
    pub thp_fault_alloc: u64,
    /// Faults that fell back to single pages.
    pub thp_fault_fallback: u64,
}

impl Counters {
    /// (name, value) of every counter, for a set of zone types.
    pub fn named(&self, zone_types: &[ZoneType]) -> Vec<(String, u64)> {
        let zones = zone_types.iter().zip(self.pgalloc);
        zones
            .map(|(z, n)| (format!("pgalloc_{}", z.suffix()), n))
            .chain([
                ("pgfree".to_string(), self.pgfree),
                ("pgfault".to_string(), self.pgfault),
                ("thp_fault_alloc".to_string(), self.thp_fault_alloc),
                ("thp_fault_fallback".to_string(), self.thp_fault_fallback),
            ])
            .collect()
    }
}
