//! Compares the lists of generations with what their owners and zones record.

use crate::check::Violation;
use crate::machine::Machine;
use crate::mmzone::{LruGen, MAX_NR_GENS, MIN_NR_GENS, Memory, flag, type_of};
use crate::vmscan::{ANON, FILE};
use facts::index::{FrameIndex, ListIndex, ZoneIndex};

/// May a page of a generation be on this list? A page that was promoted stays on the list of an
/// older generation until reclaim finds it there. Without swap, anonymous pages that were not
/// carried over may count in the youngest generation, and promoted ones may be on its list.
pub(super) fn is_allowed(
    mem: &Memory,
    list: ListIndex,
    zone: ZoneIndex,
    frame: FrameIndex,
) -> bool {
    let file = type_of(mem.pages[frame]);
    let owner = mem.lruvec_of(frame);
    let gens = mem.lruvecs[owner].lru_gen.as_ref();
    let mut generations = 0..MAX_NR_GENS;
    let listed =
        generations.find(|&generation| list == mem.gen_list(owner, zone, generation, file));
    let (Some(gens), Some(listed), Some(own)) = (gens, listed, mem.generation(frame)) else {
        return false;
    };
    let [listed, own] = [listed, own].map(|generation| gens.seq_of_gen(generation));
    gens.min_seq[file] <= listed && (listed <= own || file == ANON)
}

/// Recounts the pages of each generation, and checks the numbers of generations and the flags of pages.
pub(super) fn check_generations(m: &Machine, out: &mut Vec<Violation>) {
    let mem = &m.w.mem;
    let by_zone = vec![[[0u32; 2]; MAX_NR_GENS]; mem.zones.len()];
    let mut owners = vec![by_zone; mem.lruvecs.len()];
    for (frame, page) in mem.pages.entries() {
        if let Some(generation) = mem.generation(frame) {
            let of_owner = &mut owners[mem.lruvec_of(frame).index()];
            of_owner[page.zone().index()][generation][type_of(*page)] += 1;
            let wrong = flag::ACTIVE | flag::ISOLATED | flag::UNEVICTABLE;
            if page.meta & wrong != 0 || !page.has(flag::LRU) || !mem.lru_gen_on {
                out.push(Violation::GenFlags { frame });
            }
        }
    }
    for (owner, by_zone) in mem.lruvecs.indices().zip(owners) {
        for zone in mem.zones_of(owner) {
            for (generation, found) in by_zone[zone.index()].into_iter().enumerate() {
                let says = [ANON, FILE].map(|file| mem.gen_pages_in(owner, zone, generation, file));
                if says != found {
                    out.push(Violation::GenPages {
                        owner,
                        zone,
                        generation,
                        says,
                        found,
                    });
                }
            }
        }
    }
    for (owner, l) in mem.lruvecs.entries() {
        let Some(gens) = &l.lru_gen else { continue };
        if !is_in_range(gens) {
            out.push(Violation::Generations {
                owner,
                max: gens.max_seq,
                min: gens.min_seq,
            });
        }
    }
}

/// Are there at least two generations of file pages, at least as many of anonymous pages, and at
/// most four?
fn is_in_range(gens: &LruGen) -> bool {
    let [anon, file] = [ANON, FILE].map(|file| gens.nr_gens(file));
    (MIN_NR_GENS..=MAX_NR_GENS as u64).contains(&file)
        && (MIN_NR_GENS..=MAX_NR_GENS as u64).contains(&anon)
}
