//! Which mechanisms of a kernel variant the engine has, and how faithfully.
//!
//! Modelled: the list a person reads beside a kernel's name.
//! Left out: mechanisms no lesson or table touches.
//! Who could tell: whoever compares a run with a real one.
//! Invariants: whatever is not mirrored says in one sentence what is different.

use crate::kernel::{Features, ZonelistCache};
use crate::view::{Fidelity, Mechanism};

impl Features {
    /// Which of the kernel's mechanisms the engine has today and how faithfully, with what a
    /// person would notice where one is missing.
    pub fn mechanisms(&self) -> Vec<Mechanism> {
        let mut list = Vec::new();
        let mut add = |name: &str, fidelity, note: &str| {
            list.push(Mechanism {
                name: name.to_string(),
                fidelity,
                note: note.to_string(),
            });
        };
        use Fidelity::{Absent, Mirrored, Simplified};
        add("watermarks and lowmem reserve", Mirrored, "");
        add("zonelist order", Mirrored, "");
        add("buddy allocator", Mirrored, "");
        add("migrate types and fallback", Mirrored, "");
        add("per-cpu lists", Mirrored, "");
        add("allocator fast and slow path", Simplified, SLOW_PATH_NOTE);
        add("page tables", Simplified, PAGE_TABLE_NOTE);
        add("per-cpu counter drift", Absent, DRIFT_NOTE);
        add("kswapd balancing", Absent, KSWAPD_NOTE);
        add("direct reclaim", Absent, RECLAIM_NOTE);
        add("compaction", Absent, COMPACTION_NOTE);
        add("zone_reclaim", Absent, ZONE_RECLAIM_NOTE);
        if self.zonelist_cache != ZonelistCache::Removed {
            add("zonelist cache", Absent, ZLC_NOTE);
        }
        if self.fair_zone_policy {
            add("fair zone policy", Absent, FAIR_NOTE);
        }
        if self.boost {
            add("watermark boost", Simplified, BOOST_NOTE);
        }
        list
    }
}

const SLOW_PATH_NOTE: &str =
    "the same attempts in the same order, but nothing is reclaimed or compacted between them";
const PAGE_TABLE_NOTE: &str =
    "leaf tables only: one page for each span a full leaf maps; upper levels take no memory";
const DRIFT_NOTE: &str = "counters are exact, so a watermark test never misjudges a zone by up to 125 pages a CPU and threshold";
const KSWAPD_NOTE: &str =
    "kswapd is woken and its order recorded, but it frees nothing: memory that ran out stays out";
const RECLAIM_NOTE: &str =
    "an allocation that would have reclaimed pages fails or ends in an out-of-memory kill instead";
const COMPACTION_NOTE: &str =
    "no page is moved to make room: huge pages fail earlier than on a real machine";
const ZONE_RECLAIM_NOTE: &str =
    "mode 0 always: a full node spills to the next one without trying to free its own pages";
const ZLC_NOTE: &str =
    "full zones are looked at again by every walk, which costs time but changes no choice";
const FAIR_NOTE: &str =
    "the preferred zone is used until its low mark instead of in turn with the zones below it";
const BOOST_NOTE: &str = "boosts are added on fallback, but no kswapd run takes them back";
