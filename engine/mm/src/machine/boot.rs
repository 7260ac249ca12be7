//! Booting a machine: zones, kernel threads, devices and processes at step 0 (init/main.c and its
//! callees).
//!
//! Modelled: what exists when the workload starts.
//! Left out: the boot process itself. A machine's description lists the memory used by boot as
//! reserved.
//! Visible difference: the positions of these pages within a zone.
//! Invariants: two machines of one plan are equal.

use facts::index::{CpuIndex, IndexVec, NodeIndex, TaskIndex};
use std::sync::Arc;

use crate::bandwidth::Bandwidth;
use crate::block::BlkDone;
use crate::experiment::Experiment;
use crate::filemap::{Files, device_for_files};
use crate::frames::NONE;
use crate::intervention::Intervene;
use crate::kernel::PcpOrders;
use crate::machine::{Machine, TaskKind, TaskStatus};
use crate::memcg::Memcg;
use crate::mmzone::memmap_init;
use crate::numa::autonuma::scand::KnumaScand;
use crate::page_writeback::{WbWorkfn, Writeback};
use crate::plan::Plan;
use crate::process::Processes;
use crate::sched::load::Balancing;
use crate::sched::{HrtimerInterrupt, Sched};
use crate::slab::Slab;
use crate::space::Nodes;
use crate::swapfile::Swap;
use crate::sysctl::setup_zones;
use crate::vmscan::kswapd::Kswapd;
use crate::world::{Birth, Facts, KswapdState, Pgdat, World};

impl Machine {
    /// Boots the machine of an experiment: step 0.
    pub fn boot(experiment: &Experiment) -> Machine {
        Machine::start(&Plan::of(experiment))
    }

    /// Boots the machine of a plan: step 0.
    pub fn start(plan: &Plan) -> Machine {
        let facts = Arc::clone(&plan.facts);
        let cpus = facts.node_of_cpu.len() as u16;
        let f = &facts.features;
        let pcp = match (facts.pcp, f.pcp_orders) {
            (false, _) => (0, false),
            (true, PcpOrders::Zero) => (1, false),
            (true, PcpOrders::UpTo3AndThp) => (4, true),
        };
        let mem = memmap_init(&facts.layout, cpus, pcp, f, facts.groups.all.len());
        let processes = Processes::new(mem.pageblock_order, Nodes::of(&mem.zones));
        let mut sched = Sched::new(cpus.into(), facts.hz);
        sched.slice_ns = facts.slice_ns;
        if facts.ticks {
            sched.use_ticks();
        }
        if facts.balances {
            sched.balance = Balancing::new(&facts.domains, &facts.node_of_cpu);
        }
        let mut w = World {
            mem,
            processes,
            sched,
            bandwidth: match facts.accesses {
                Some(_) => Bandwidth::new(facts.layout.nodes.len(), cpus.into()),
                None => Bandwidth::default(),
            },
            counters: Default::default(),
            tunables: facts.tunables.clone(),
            thp: facts.booted_thp,
            kswapd: IndexVec::default(),
            pgdat: vec![Pgdat::default(); facts.layout.nodes.len()].into(),
            zlc: crate::zlc::caches(facts.features.zonelist_cache, facts.layout.nodes.len()),
            lru_add: crate::lru_add::vectors(facts.features.write_marks, cpus.into()),
            fallbacks: vec![Default::default(); facts.layout.nodes.len()].into(),
            files: Files::new(plan.present_pages),
            evicted: Default::default(),
            swap: Swap::of(&facts.devices, &facts.features, cpus),
            memcg: Memcg::new(&facts, cpus),
            block: Default::default(),
            wb: Writeback::new(cpus),
            slab: Slab::new(&facts),
            page_wait: Vec::new(),
            congestion_wait: Vec::new(),
            wait_ends: Vec::new(),
            kills: Vec::new(),
            signals: Vec::new(),
            task_works: Vec::new(),
            numa: Default::default(),
            lru_gen_last: IndexVec::default(),
            exits: Vec::new(),
            affinities: Vec::new(),
            born: vec![0; facts.programs.len()],
            births: Vec::new(),
            panicked: false,
            phases: Default::default(),
            vmscan_totals: Default::default(),
            compaction_totals: Default::default(),
            visits: Default::default(),
            now: 0,
            cpu: CpuIndex::new(0),
            task: TaskIndex::new(0),
            run: Default::default(),
            rec: Default::default(),
            facts,
        };
        setup_zones(&mut w);
        crate::numa::switch(&mut w);
        crate::lru_gen::switch(&mut w);
        let device = device_for_files(&w);
        for &(pages, absent) in &plan.files {
            w.files.lay_down(device, pages, absent);
        }
        let mut machine = Machine {
            w,
            tasks: IndexVec::default(),
        };
        machine.start_kernel_threads();
        machine.start_processes();
        machine.start_interventions();
        machine.schedule();
        machine
    }

    fn start_kernel_threads(&mut self) {
        for cpu in self.w.sched.cpus.indices() {
            let id = self.add_kernel(TaskKind::Timer { cpu }, cpu, HrtimerInterrupt::call(cpu));
            self.tasks[id].status = TaskStatus::Waiting;
            self.w.sched.cpus[cpu].irq_task = id;
        }
        let facts = Arc::clone(&self.w.facts);
        for (n, node) in NodeIndex::all(facts.layout.nodes.len()).zip(&facts.layout.nodes) {
            let cpu = node.cpus.first().copied().unwrap_or_default();
            let id = self.add_kernel(
                TaskKind::Kswapd { node: n },
                cpu,
                Kswapd::call(n, facts.layout.zone_types.len()),
            );
            let state = KswapdState {
                task: id,
                awake: true,
                napping: false,
                order: 0,
                classzone: u8::MAX,
                wakes: 0,
                passes: 0,
                since_ns: 0,
                boosts: Default::default(),
            };
            self.w.kswapd.push(state);
            self.w.sched.enqueue(id, cpu, 0, cpu);
        }
        self.start_devices(&facts);
        if crate::numa::rules(&facts).is_some_and(|rules| rules.auto.is_some()) {
            let id = self.add_kernel(TaskKind::Scand, CpuIndex::new(0), KnumaScand::call());
            self.w.numa.scand.task = Some(id);
            self.w
                .sched
                .enqueue(id, CpuIndex::new(0), 0, CpuIndex::new(0));
        }
    }

    fn start_devices(&mut self, facts: &Facts) {
        for (device, drive) in (0u8..).zip(&facts.devices) {
            let kind = TaskKind::Device { device };
            let frame = BlkDone::call(device);
            let id = self.add_kernel(kind, drive.cpu, frame);
            self.tasks[id].status = TaskStatus::Waiting;
            self.w.block.add(id);
        }
        for (device, drive) in (0u8..).zip(&facts.devices) {
            let flusher = drive.profile.files.then(|| {
                let kind = TaskKind::Flusher { device };
                let frame = WbWorkfn::call(device);
                let id = self.add_kernel(kind, drive.cpu, frame);
                self.tasks[id].status = TaskStatus::Waiting;
                id
            });
            self.w
                .wb
                .add(drive, flusher.map(TaskIndex::get).map(TaskIndex::new));
        }
    }

    fn start_processes(&mut self) {
        let facts = Arc::clone(&self.w.facts);
        for (p, program) in (0..).zip(&facts.programs) {
            for _ in 0..program.count {
                self.birth(
                    &Birth {
                        program: p,
                        node: program.node.zonelist(),
                        parent: NONE,
                        thread: None,
                    },
                    program.start_ns,
                );
            }
        }
    }

    /// Makes the pseudo task of the interventions sleep until the first one, or forever if there is
    /// none.
    fn start_interventions(&mut self) {
        let first = self
            .w
            .facts
            .interventions
            .first()
            .map(|change| change.at_ns);
        let id = self.add_kernel(TaskKind::Intervention, CpuIndex::new(0), Intervene::call());
        self.tasks[id].status = match first {
            Some(at) => {
                self.w.sched.sleep_until(id, CpuIndex::new(0), at);
                TaskStatus::Sleeping
            }
            None => TaskStatus::Waiting,
        };
    }
}
