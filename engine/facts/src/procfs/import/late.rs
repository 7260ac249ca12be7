//! Memory that was added long after the watermarks were computed, as the protection rows prove.
//!
//! Modelled: the earlier managed pages of each zone, from the protection of the lowest zone of its node, if
//! they give all watermarks.
//! Left out: growth of a node's lowest zone, which no row shows.
//! Visible difference: none, if all watermarks match.
//! Invariants: nothing is found if the printed pages, minus the memory that init freed, explain the rows.

use crate::kernel::{Features, Gaps};
use crate::layout::{Layout, NodeLayout};
use crate::procfs::import::dump::{Dump, DumpNode, DumpZone};
use crate::procfs::import::grown::{exact_pages, smallest_managed};
use crate::procfs::import::infer::scale_factor;
use crate::procfs::import::ratios::default_ratio;
use crate::procfs::import::{ImportOptions, Notes};
use crate::profile::Thp;
use crate::tunables::{Tunables, ratio_len};
use crate::watermark::{Watermarks, ZoneMarks};

/// The maximum number of sizes that are tried between the smallest and the largest that a row allows.
const MAX_TRIES: u64 = 1024;

/// The machine at the time when its watermarks were computed.
#[derive(Debug)]
pub struct Earlier {
    /// With the managed pages of that time.
    pub layout: Layout,
    /// Watermarks and protections of that time, by node and zone index.
    marks: Vec<Vec<ZoneMarks>>,
    /// The evidence.
    pub proof: String,
}

impl Earlier {
    /// Whether a zone's printed watermarks and protections are those of that time.
    pub fn explains(&self, node: usize, zone: usize, printed: &DumpZone) -> bool {
        same(&self.marks[node][zone], printed)
    }
}

fn same(marks: &ZoneMarks, printed: &DumpZone) -> bool {
    let rest = [printed.min, printed.low, printed.high].map(|mark| mark - printed.boost);
    rest == [marks.min, marks.low, marks.high] && marks.protection == printed.protection
}

/// A zone's managed pages, from the protection row of a lower zone.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    node: usize,
    zone: usize,
    least: u64,
    most: u64,
}

/// The machine of that time, if rows show that a zone was smaller by more memory than init frees, and the
/// machine gives all watermarks.
pub fn found(
    dump: &Dump,
    layout: &Layout,
    features: &Features,
    options: &ImportOptions,
) -> Option<Earlier> {
    if !dump.has_protection {
        return None;
    }
    let ratios = ratios(layout, features, options);
    let mut bounds = Vec::new();
    let mut proofs = Vec::new();
    for (index, (printed, node)) in dump.nodes.iter().zip(&layout.nodes).enumerate() {
        let own = shown(printed, node, index, &ratios)?;
        let page_kib = layout.geometry.page_kib();
        let grew = own
            .iter()
            .filter(|b| b.most < smallest_managed(node.zones[b.zone].managed, page_kib));
        proofs.extend(grew.map(|b| {
            let zone = layout.zone_types[b.zone].name();
            format!(
                "the protection rows below zone {zone} of node {} show {} to {} pages",
                node.id, b.least, b.most
            )
        }));
        bounds.extend(own);
    }
    let proof = proofs.first()?.clone();
    let widest = bounds
        .iter()
        .map(|b| b.most - b.least)
        .max()?
        .min(MAX_TRIES);
    (0..=widest).find_map(|step| {
        let mut earlier = layout.clone();
        for b in &bounds {
            let part = u128::from(b.most - b.least) * u128::from(step) / u128::from(widest.max(1));
            earlier.nodes[b.node].zones[b.zone].managed = b.least + part as u64;
        }
        let marks = marks_of(dump, &earlier, features, &ratios, options)?;
        let mut zones = dump.nodes.iter().enumerate().flat_map(|(n, node)| {
            let own = node
                .zones
                .iter()
                .filter_map(|zone| Some((zone, layout.zone_index(zone.kind)?)));
            own.map(move |(zone, index)| (n, index, zone))
                .collect::<Vec<_>>()
        });
        let fits = zones.all(|(n, index, zone)| same(&marks[n][index], zone));
        fits.then(|| Earlier {
            layout: earlier,
            marks,
            proof: proof.clone(),
        })
    })
}

fn ratios(layout: &Layout, features: &Features, options: &ImportOptions) -> Vec<u64> {
    let types = layout.zone_types.iter();
    let len = ratio_len(features, layout.zone_types.len());
    let defaults = types.take(len).map(|&kind| default_ratio(features, kind));
    let given = options.lowmem_reserve_ratio.clone();
    given.unwrap_or_else(|| defaults.collect())
}

/// What the protection row of a node's lowest zone shows about the higher zones; none if it contradicts them.
fn shown(
    printed: &DumpNode,
    node: &NodeLayout,
    index: usize,
    ratios: &[u64],
) -> Option<Vec<Bounds>> {
    let mut bounds = Vec::new();
    let Some(lowest) = node.zones.iter().position(|zone| zone.managed > 0) else {
        return Some(bounds);
    };
    let ratio = ratios.get(lowest).copied().filter(|&ratio| ratio > 0)?;
    let kind = node.zones[lowest].kind;
    let row = &printed
        .zones
        .iter()
        .find(|zone| zone.kind == kind)?
        .protection;
    let (mut sum_least, mut sum_most) = (0u64, 0u64);
    for zone in lowest + 1..node.zones.len() {
        let managed = node.zones[zone].managed;
        if managed == 0 {
            continue;
        }
        let least = row.get(zone)?.checked_mul(ratio)?;
        let most = least + ratio - 1;
        let own = least.saturating_sub(sum_most)..=most.checked_sub(sum_least)?;
        if own.contains(&managed) {
            (sum_least, sum_most) = (sum_least + managed, sum_most + managed);
            continue;
        }
        if *own.end() > managed {
            return None;
        }
        bounds.push(Bounds {
            node: index,
            zone,
            least: *own.start(),
            most: *own.end(),
        });
        (sum_least, sum_most) = (least, most);
    }
    Some(bounds)
}

fn marks_of(
    dump: &Dump,
    layout: &Layout,
    features: &Features,
    ratios: &[u64],
    options: &ImportOptions,
) -> Option<Vec<Vec<ZoneMarks>>> {
    let mut tunables = Tunables::plain();
    tunables.lowmem_reserve_ratio = ratios.to_vec();
    if features.gaps == Gaps::ScaleFactor {
        tunables.watermark_scale_factor = options
            .watermark_scale_factor
            .unwrap_or_else(|| scale_factor(dump, features, layout, &mut Notes::default()));
    }
    let pages = exact_pages(dump, layout, features, &tunables)?;
    let kib = pages.start() * layout.geometry.page_kib();
    tunables.min_free_kbytes = Some(options.min_free_kbytes.unwrap_or(kib));
    Some(Watermarks::new(layout, features, &tunables, Thp::Never).zones)
}
