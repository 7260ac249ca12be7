//! What a machine is booted from: everything an experiment decides before its first step.
//!
//! Modelled: the layout of memory, zonelists, device queues and tunables over time, worked out once.
//! Left out: whatever only a person needs: names, titles, the words of the experiment.
//! Invariants: a plan boots the same machine whether it was made here or crossed as bytes; bytes
//! that are no plan are refused.

use std::hash::Hasher;
use std::sync::Arc;

use crate::block::Drive;
use crate::costs::Costs;
use crate::experiment::Experiment;
use crate::hash::StateHasher;
use crate::intervention::Deed;
use crate::layout::Layout;
use crate::tunables::Tunables;
use crate::wire::{Source, Wire};
use crate::world::{Change, Facts};
use crate::zonelist::build_zonelists;

/// All that booting needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What will never change.
    pub facts: Arc<Facts>,
    /// Tunables at boot.
    pub tunables: Tunables,
    /// Of each file: its pages, and whether it is missing when the run begins.
    pub files: Vec<(u32, bool)>,
    /// Page frames that exist.
    pub present_pages: u64,
}

impl Plan {
    /// The plan of an experiment.
    pub fn of(experiment: &Experiment) -> Plan {
        let facts = facts(experiment);
        let present_pages = experiment.machine.present_pages();
        Plan {
            facts: Arc::new(facts),
            tunables: experiment.tunables.clone(),
            files: experiment.files.clone(),
            present_pages,
        }
    }

    /// The plan as bytes, for another module of the same build.
    pub fn pack(&self) -> Vec<u8> {
        let mut body = Vec::new();
        self.put(&mut body);
        [checksum(&body).as_slice(), &body].concat()
    }

    /// What was packed; `None` for any other bytes.
    pub fn unpack(bytes: &[u8]) -> Option<Plan> {
        let (front, body) = bytes.split_first_chunk()?;
        if *front == checksum(body) {
            read(body)
        } else {
            None
        }
    }
}

fn read(body: &[u8]) -> Option<Plan> {
    let mut from = Source::new(body);
    let plan = Plan::take(&mut from);
    from.end(plan)
}

fn checksum(body: &[u8]) -> [u8; 8] {
    let mut hasher = StateHasher::default();
    hasher.write(body);
    hasher.finish().to_le_bytes()
}

facts::wire_struct! {
    Plan { facts, tunables, files, present_pages }
    Change { at_ns, deed, then }
    Facts {
        layout, features, cost, zero_page, zero_huge, zonelists, highest, preferred, programs,
        interventions, length_ns, seed, node_of_cpu, zone_reclaim_default, booted_thp, pcp, hz, devices,
    }
    Drive {
        profile, page_bytes, pages, max_pages, depth, queue_depth, read_target_ns, swap_start,
        swap_pages, cpu, turns,
    }
}

fn facts(e: &Experiment) -> Facts {
    let features = e.kernel.features;
    let layout = Layout::new(&e.machine, &features);
    let page_kib = layout.geometry.page_kib();
    let cost = *Costs::of(e.machine.costs);
    let huge_kib = page_kib << layout.geometry.pageblock_order;
    let populated = populated_zones(&layout);
    let index = |node: usize, zone: usize| {
        populated
            .iter()
            .position(|&p| p == (node, zone))
            .unwrap_or(0) as u8
    };
    let lists = build_zonelists(&layout, &features, e.tunables.numa_zonelist_order);
    let all = lists.iter().map(|list| &list.fallback);
    let zonelists: Vec<Vec<u8>> = all
        .chain(lists.iter().map(|list| &list.this_node))
        .map(|list| list.iter().map(|z| index(z.node, z.zone)).collect())
        .collect();
    let cpus = layout.online_cpus() as u16;
    let highest = highest(&layout);
    let preferred = zonelists.iter().map(|list| {
        highest.map(|high| {
            let fits = |&&z: &&u8| populated[z as usize].1 <= usize::from(high);
            list.iter().find(fits).copied().unwrap_or(u8::MAX)
        })
    });
    let preferred = preferred.collect();
    let blk_mq = features.blk_mq;
    let devices = (0..).zip(e.machine.devices_in_force());
    let devices = devices
        .map(|(i, profile)| Drive::new(&profile, i, page_kib, cpus, blk_mq))
        .collect();
    let mut node_of_cpu = vec![0; layout.online_cpus() as usize];
    for (n, node) in (0u8..).zip(&layout.nodes) {
        for &cpu in &node.cpus {
            node_of_cpu[cpu as usize] = n;
        }
    }
    Facts {
        features,
        cost,
        zero_page: cost.zero_page(page_kib),
        zero_huge: u32::try_from(cost.zero_huge(huge_kib)).unwrap_or(u32::MAX),
        zonelists,
        highest,
        preferred,
        programs: e.programs.clone(),
        interventions: changes(e),
        length_ns: e.length_ns,
        seed: e.seed,
        node_of_cpu,
        zone_reclaim_default: crate::zone_reclaim::default_mode(&layout, &features),
        booted_thp: e.machine.thp,
        hz: e.machine.hz.into(),
        devices,
        pcp: e.machine.pcp,
        layout,
    }
}

/// The experiment's interventions with what each leads to.
fn changes(e: &Experiment) -> Vec<Change> {
    let mut then = e.tunables.clone();
    let each = e.interventions.iter().map(|(at_ns, deed)| {
        if let Deed::Set { values } = deed {
            for (name, value) in values {
                // Checked by `experiment`; a value refused there never comes here.
                let _ = then.set(&e.kernel.features, name, value);
            }
        }
        Change {
            at_ns: *at_ns,
            deed: deed.clone(),
            then: then.clone(),
        }
    });
    each.collect()
}

/// For requests for DMA, DMA32, Normal and Movable memory, the highest zone type that serves them.
fn highest(layout: &Layout) -> [u8; 4] {
    use crate::arch::ZoneType::*;
    [Dma, Dma32, Normal, Movable].map(|wanted| {
        let types = &layout.zone_types;
        types.iter().rposition(|&t| t <= wanted).unwrap_or(0) as u8
    })
}

/// (node, zone type) of each populated zone, in the order of `Memory::zones`.
pub fn populated_zones(layout: &Layout) -> Vec<(usize, usize)> {
    let nodes = layout.nodes.iter().enumerate();
    nodes
        .flat_map(|(n, node)| {
            let zones = node.zones.iter().enumerate();
            zones
                .filter(|(_, z)| z.is_populated())
                .map(move |(k, _)| (n, k))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::presets;
    use crate::machine::Machine;
    use crate::rng::Rng;

    fn plans() -> impl Iterator<Item = Plan> {
        presets().into_iter().map(|raw| {
            let experiment = Experiment::new(raw).expect("a valid preset");
            Plan::of(&experiment)
        })
    }

    #[test]
    fn every_preset_crosses_and_boots_the_same_machine() {
        for plan in plans() {
            let crossed = Plan::unpack(&plan.pack()).expect("a plan");
            assert_eq!(crossed, plan);
            if plan.present_pages > 1 << 17 {
                continue;
            }
            let (mut here, mut there) = (Machine::start(&plan), Machine::start(&crossed));
            assert_eq!(here.hash(), there.hash());
            here.run(50_000, u64::MAX);
            there.run(50_000, u64::MAX);
            assert_eq!(here.hash(), there.hash());
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        for plan in plans() {
            let bytes = plan.pack();
            for cut in 0..bytes.len() {
                assert_eq!(Plan::unpack(&bytes[..cut]), None);
            }
            let longer = [bytes.as_slice(), &[0]].concat();
            assert_eq!(Plan::unpack(&longer), None);
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 0x55;
                assert_eq!(Plan::unpack(&changed), None, "byte {at}");
            }
        }
    }

    /// Behind the checksum there is no trust either: whatever the bytes, reading ends.
    #[test]
    fn reading_survives_any_bytes() {
        let mut rng = Rng::stream(7, 7);
        for plan in plans() {
            let bytes = plan.pack().split_off(8);
            for _ in 0..2000 {
                let mut changed = bytes.clone();
                for _ in 0..1 + rng.below(4) {
                    let at = rng.below(changed.len() as u32) as usize;
                    changed[at] = rng.below(256) as u8;
                }
                changed.truncate(1 + rng.below(changed.len() as u32) as usize);
                read(&changed);
            }
        }
    }
}
