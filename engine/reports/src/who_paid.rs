//! Who paid for reclaim: which task stalled, scanned, wrote and waited, on whose behalf, and whose
//! pages were reclaimed.
//!
//! Modelled: direct reclaim, `zone_reclaim` and kswapd, from the records of a range of a run. The
//! work of kswapd is attributed to the task whose request started the run of kswapd; later requests
//! count from the next run on. Left out: what flushers write, and waits for devices outside
//! reclaim. Visible difference: a kernel does not count by task; its trace would give the same
//! sums. Invariants: for each counter, the rows and the unattributed remainder add up to the change
//! of the machine's counter over the range. Every reclaimed page is counted once by owner. The
//! record of a run of kswapd precedes the count by a step; at both ends of a range the count
//! decides.

mod cpu_time;
mod range;
mod text;

pub use cpu_time::{CpuTime, CpuTimes};
pub use range::{Range, Replayed};
pub use text::text;

use mm::index::{FrameIndex, TaskIndex};
use std::collections::BTreeMap;

use mm::experiment::Experiment;
use mm::filemap::MmFilemapAddToPageCache;
use mm::frames::{Frame, NONE};
use mm::machine::Machine;
use mm::memory::{Mapped, MappedHuge};
use mm::migrate::MigrateMoved;
use mm::mmzone::PageKind;
use mm::page_alloc::MmPageAlloc;
use mm::record::{Declared, Outcome, Record, RecordKind};
use mm::rmap::anon_place;
use mm::slowpath::wake::MmVmscanWakeupKswapd;
use mm::swapfile::swapin::SwapMapped;
use mm::vmscan::MmVmscanLruIsolate;
use mm::vmscan::balance_node::BpPt;
use mm::vmscan::balance_scans::BcPt;
use mm::vmscan::balance_zones::BzPt;
use mm::vmscan::direct::PfMemalloc;
use mm::vmscan::inactive::{BatchDone, Isolated};
use mm::vmscan::kswapd::MmVmscanKswapdWake;
use mm::vmscan::throttle::{MmVmscanThrottled, WritebackCongestionWait, WritebackWaitIffCongested};
use serde::Serialize;

macro_rules! sums {
    ($($(#[doc = $doc:literal])+ $name:ident: $of:expr;)+) => {
        /// Amounts of one row, by the name of the counter to which the rows add up.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
        pub struct Sums {
            $($(#[doc = $doc])+ pub $name: i64,)+
        }

        impl Sums {
            /// The counts of a machine since boot.
            fn of(machine: &Machine) -> Sums {
                Sums { $($name: {
                    let of: fn(&Machine) -> u64 = $of;
                    of(machine) as i64
                },)+ }
            }

            fn add(&mut self, other: &Sums) {
                $(self.$name += other.$name;)+
            }

            fn less(&self, other: &Sums) -> Sums {
                Sums { $($name: self.$name - other.$name,)+ }
            }

            /// Every amount by name.
            pub fn named(&self) -> Vec<(&'static str, i64)> {
                vec![$((stringify!($name), self.$name),)+]
            }
        }
    };
}

sums! {
    /// Direct reclaims.
    allocstall: |m| m.w.counters.allocstall;
    /// Time in direct reclaim, including waits, ns.
    stall_direct_ns: |m| m.w.counters.stall_direct_ns;
    /// Waits for kswapd before direct reclaim.
    pgscan_direct_throttle: |m| m.w.counters.pgscan_direct_throttle;
    /// Runs of kswapd over its node.
    pageoutrun: |m| m.w.counters.pageoutrun;
    /// Pages scanned by kswapd.
    pgscan_kswapd: |m| m.w.counters.pgscan_kswapd;
    /// Pages scanned by tasks that needed memory.
    pgscan_direct: |m| m.w.counters.pgscan_direct;
    /// Anonymous pages scanned.
    pgscan_anon: |m| m.w.counters.pgscan_anon;
    /// File pages scanned.
    pgscan_file: |m| m.w.counters.pgscan_file;
    /// Pages reclaimed by kswapd.
    pgsteal_kswapd: |m| m.w.counters.pgsteal_kswapd;
    /// Pages reclaimed by tasks that needed memory.
    pgsteal_direct: |m| m.w.counters.pgsteal_direct;
    /// Anonymous pages reclaimed.
    pgsteal_anon: |m| m.w.counters.pgsteal_anon;
    /// File pages reclaimed.
    pgsteal_file: |m| m.w.counters.pgsteal_file;
    /// Pages of active lists scanned.
    pgrefill: |m| m.w.counters.pgrefill;
    /// Pages that reclaim itself wrote.
    nr_vmscan_write: |m| m.w.counters.nr_vmscan_write;
    /// Dirty pages that reclaim left to the flushers.
    nr_vmscan_immediate_reclaim: |m| m.w.counters.nr_vmscan_immediate_reclaim;
    /// Waits of reclaimers.
    waits: |m| m.w.phases.delays.all.iter().map(|delay| delay.count).sum();
    /// Length of these waits, us.
    waited_us: |m| {
        let ticks = m.w.phases.delays.all.iter();
        let ticks: u64 = ticks.map(|delay| u64::from(delay.delayed) * delay.count).sum();
        ticks * u64::from(1_000_000 / m.w.facts.hz)
    };
}

/// The owner of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// The task that mapped the page first, or last after swapping.
    Task(TaskIndex),
    /// A file.
    File(u32),
    /// Unknown, for example for a page that was read ahead from swap and not used.
    Unknown,
}

/// A task, and the task on whose behalf it worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Payer {
    task: TaskIndex,
    /// None if the request that started this run of kswapd is not known.
    on_behalf_of: Option<TaskIndex>,
}

/// kswapd of a node.
#[derive(Debug, Clone, Copy)]
struct Kswapd {
    task: TaskIndex,
    /// The task whose request began its run.
    serves: Option<TaskIndex>,
    /// The first task that requested a run since then.
    asked: Option<TaskIndex>,
}

/// Collects the records of a range.
#[derive(Debug)]
pub struct WhoPaid {
    before: Sums,
    cpu_before: CpuTimes,
    rows: BTreeMap<Payer, Sums>,
    taken: BTreeMap<(Payer, Owner), u64>,
    owners: Vec<Owner>,
    kswapd: Vec<Kswapd>,
    /// The start of a task's direct reclaim, ns.
    began: BTreeMap<TaskIndex, u64>,
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PaidRow {
    /// The task that did the work.
    pub task: String,
    /// The task on whose behalf it worked: the task itself, if it needed the memory.
    pub on_behalf_of: String,
    /// The amounts of work.
    #[serde(flatten)]
    pub sums: Sums,
}

/// Reclaimed pages of one owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TakenRow {
    /// The task that reclaimed them.
    pub task: String,
    /// The task on whose behalf it worked.
    pub on_behalf_of: String,
    /// The owner of the pages: a task or a file.
    pub from: String,
    /// Number of pages.
    pub pages: u64,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Paid {
    /// By task.
    pub rows: Vec<PaidRow>,
    /// The part of the counters that no row contains.
    pub not_attributed: Sums,
    /// The change of the counters.
    pub total: Sums,
    /// Reclaimed pages, by owner.
    pub taken: Vec<TakenRow>,
    /// Length of the range, ns.
    pub length_ns: u64,
    /// CPU time by task.
    pub cpu: Vec<CpuTime>,
}

/// The unattributed remainder.
const NOT_ATTRIBUTED: &str = "not attributed";

impl WhoPaid {
    /// Starts at the present moment of a machine. From now on the recorder must be on and record
    /// every kind.
    pub fn begin(machine: &Machine) -> WhoPaid {
        let w = &machine.w;
        let owner = |frame: FrameIndex| {
            let page = w.mem.pages[frame];
            if page.is(PageKind::File) {
                return Owner::File(page.owner);
            }
            let is_anon = page.is_anon() || page.is(PageKind::HugeAnon);
            let space = is_anon.then(|| anon_place(w, frame).0);
            let process = space.and_then(|space| w.processes.all.get(space as usize));
            process.map_or(Owner::Unknown, |process| Owner::Task(process.space.owner))
        };
        let mut owners: Vec<Owner> = w.mem.pages.indices().map(owner).collect();
        for (frame, page) in w.mem.pages.entries() {
            if page.is(PageKind::HugeAnon) {
                let end = frame.plus(1 << page.order()).index().min(owners.len());
                let owner = owners[frame.index()];
                owners[frame.index()..end].fill(owner);
            }
        }
        let kswapd = w.kswapd.iter().map(|kswapd| Kswapd {
            task: kswapd.task,
            serves: None,
            asked: None,
        });
        let tasks = machine.tasks.entries();
        let kswapd: Vec<Kswapd> = kswapd.collect();
        let mut rows: BTreeMap<Payer, Sums> = BTreeMap::new();
        for Kswapd { task, serves, .. } in &kswapd {
            let payer = Payer {
                task: *task,
                on_behalf_of: *serves,
            };
            if is_about_to_count(machine, *task) {
                rows.entry(payer).or_default().pageoutrun += 1;
            }
        }
        WhoPaid {
            before: Sums::of(machine),
            cpu_before: CpuTimes::of(machine),
            rows,
            taken: BTreeMap::new(),
            owners,
            kswapd,
            began: tasks.map(|(id, task)| (id, task.cx.sc.began_ns)).collect(),
        }
    }

    /// Processes the next record.
    pub fn take(&mut self, record: &Record) {
        self.take_owner(record);
        if let Some(woken) = MmVmscanWakeupKswapd::of(record) {
            if let Some(kswapd) = self.kswapd.get_mut(woken.nid.index()) {
                kswapd.asked = kswapd.asked.or(Some(record.task));
            }
        } else if let Some(run) = MmVmscanKswapdWake::of(record) {
            if let Some(kswapd) = self.kswapd.get_mut(run.nid.index()) {
                kswapd.serves = kswapd.asked.take().or(kswapd.serves);
            }
            self.row(record).pageoutrun += 1;
        } else if let Some(batch) = BatchDone::of(record) {
            self.take_batch(record, &batch);
        } else {
            self.take_amount(record);
        }
    }

    /// Records the owner of a page.
    fn take_owner(&mut self, record: &Record) {
        let task = Owner::Task(record.task);
        if let Some(page) = MmPageAlloc::of(record) {
            self.own(page.pfn, page.order, Owner::Unknown);
        } else if let Some(page) = Mapped::of(record) {
            self.own(page.frame, 0, task);
        } else if let Some(page) = MappedHuge::of(record) {
            self.own(page.frame, page.order, task);
        } else if let Some(page) = SwapMapped::of(record) {
            self.own(page.frame, 0, task);
        } else if let Some(page) = MmFilemapAddToPageCache::of(record) {
            let file = u32::try_from(page.i_ino).unwrap_or(NONE);
            self.own(page.pfn, 0, Owner::File(file));
        } else if let Some(page) = MigrateMoved::of(record) {
            self.own(page.to, 0, self.owner(page.page));
        }
    }

    fn own(&mut self, frame: FrameIndex, order: u8, owner: Owner) {
        let start = frame.index().min(self.owners.len());
        let end = start.saturating_add(1 << order).min(self.owners.len());
        self.owners[start..end].fill(owner);
    }

    /// The owner of a page, as far as the records show it.
    pub fn owner(&self, frame: FrameIndex) -> Owner {
        let owner = self.owners.get(frame.index());
        owner.copied().unwrap_or(Owner::Unknown)
    }

    fn payer(&self, task: TaskIndex) -> Payer {
        let kswapd = self.kswapd.iter().find(|kswapd| kswapd.task == task);
        Payer {
            task,
            on_behalf_of: kswapd.map_or(Some(task), |kswapd| kswapd.serves),
        }
    }

    fn is_kswapd(&self, task: TaskIndex) -> bool {
        self.kswapd.iter().any(|kswapd| kswapd.task == task)
    }

    fn row(&mut self, record: &Record) -> &mut Sums {
        let payer = self.payer(record.task);
        self.rows.entry(payer).or_default()
    }

    fn take_batch(&mut self, record: &Record, batch: &BatchDone) {
        let is_kswapd = self.is_kswapd(record.task);
        let is_file = batch.lru >= 2;
        let row = self.row(record);
        *(match is_kswapd {
            true => &mut row.pgsteal_kswapd,
            false => &mut row.pgsteal_direct,
        }) += batch.freed;
        *(match is_file {
            true => &mut row.pgsteal_file,
            false => &mut row.pgsteal_anon,
        }) += batch.freed;
        let payer = self.payer(record.task);
        for &(page, outcome) in &batch.pages {
            if outcome == Outcome::Freed {
                *self.taken.entry((payer, self.owner(page))).or_default() += 1;
            }
        }
    }

    fn take_amount(&mut self, record: &Record) {
        let waited = |row: &mut Sums, us: i64| {
            row.waits += 1;
            row.waited_us += us;
        };
        match record.kind {
            RecordKind::MmVmscanDirectReclaimBegin => {
                self.began.insert(record.task, record.time_ns);
                self.row(record).allocstall += 1;
            }
            RecordKind::MmVmscanDirectReclaimEnd => {
                let began = self.began.get(&record.task).copied();
                let stalled = record.time_ns.saturating_sub(began.unwrap_or(u64::MAX));
                self.row(record).stall_direct_ns += i64::try_from(stalled).unwrap_or(i64::MAX);
            }
            RecordKind::LoopAgain => self.row(record).pageoutrun += 1,
            RecordKind::MmVmscanWritepage => self.row(record).nr_vmscan_write += 1,
            RecordKind::DirtyForFlusher | RecordKind::DirtyForFlusherKept => {
                self.row(record).nr_vmscan_immediate_reclaim += 1;
            }
            _ => {}
        }
        if let Some(test) = PfMemalloc::of(record) {
            // A node without a reserve throttles nobody.
            let throttled = test.free <= test.half && test.half > 0;
            if throttled {
                self.row(record).pgscan_direct_throttle += 1;
            }
        } else if let Some(batch) = Isolated::of(record) {
            self.take_scan(record, &batch);
        } else if let Some(batch) = MmVmscanLruIsolate::of(record) {
            // Batches of inactive lists have a record of their own.
            if batch.lru % 2 == 1 {
                self.row(record).pgrefill += batch.nr_scanned;
            }
        } else if let Some(wait) = MmVmscanThrottled::of(record) {
            waited(self.row(record), wait.usec_delayed);
        } else if let Some(wait) = WritebackCongestionWait::of(record) {
            waited(self.row(record), wait.usec_delayed);
        } else if let Some(wait) = WritebackWaitIffCongested::of(record) {
            waited(self.row(record), wait.usec_delayed);
        }
    }

    fn take_scan(&mut self, record: &Record, batch: &Isolated) {
        let is_kswapd = self.is_kswapd(record.task);
        let row = self.row(record);
        *(match is_kswapd {
            true => &mut row.pgscan_kswapd,
            false => &mut row.pgscan_direct,
        }) += batch.scanned;
        *(match batch.lru >= 2 {
            true => &mut row.pgscan_file,
            false => &mut row.pgscan_anon,
        }) += batch.scanned;
    }

    /// The table of the range that ends at the machine's present moment, with names of tasks and
    /// files.
    pub fn finish(
        &self,
        machine: &Machine,
        task: &dyn Fn(TaskIndex) -> String,
        file: &dyn Fn(u32) -> String,
    ) -> Paid {
        let total = Sums::of(machine).less(&self.before);
        let mut not_attributed = total;
        let behalf = |payer: &Payer| {
            let known = payer.on_behalf_of.map(task);
            known.unwrap_or_else(|| NOT_ATTRIBUTED.to_string())
        };
        let mut counted = self.rows.clone();
        for Kswapd { task, .. } in &self.kswapd {
            if is_about_to_count(machine, *task) {
                counted.entry(self.payer(*task)).or_default().pageoutrun -= 1;
            }
        }
        counted.retain(|_, sums| *sums != Sums::default());
        let mut rows = Vec::new();
        for (payer, sums) in &counted {
            not_attributed = not_attributed.less(sums);
            rows.push(PaidRow {
                task: task(payer.task),
                on_behalf_of: behalf(payer),
                sums: *sums,
            });
        }
        let scanned = |sums: &Sums| sums.pgscan_kswapd + sums.pgscan_direct;
        rows.sort_by_key(|row| std::cmp::Reverse(scanned(&row.sums)));
        let mut merged: BTreeMap<(String, String, String), u64> = BTreeMap::new();
        for ((payer, owner), pages) in &self.taken {
            let from = match *owner {
                Owner::Task(id) => task(id),
                Owner::File(id) => file(id),
                Owner::Unknown => NOT_ATTRIBUTED.to_string(),
            };
            let key = (task(payer.task), behalf(payer), from);
            *merged.entry(key).or_default() += pages;
        }
        let mut taken: Vec<TakenRow> = merged
            .into_iter()
            .map(|((task, on_behalf_of, from), pages)| TakenRow {
                task,
                on_behalf_of,
                from,
                pages,
            })
            .collect();
        taken.sort_by_key(|row| std::cmp::Reverse(row.pages));
        let cpu = CpuTimes::of(machine);
        Paid {
            rows,
            not_attributed,
            total,
            taken,
            length_ns: cpu.length_since(&self.cpu_before),
            cpu: cpu.since(&self.cpu_before, task),
        }
    }
}

/// Has a run of kswapd been recorded that is counted only with its next step?
fn is_about_to_count(machine: &Machine, task: TaskIndex) -> bool {
    let stack = machine.tasks.at(task).map(|task| &task.stack);
    stack.is_some_and(|stack| {
        stack.iter().any(|frame| match frame {
            Frame::BalancePgdat(run) => run.pt == BpPt::Start,
            Frame::BalanceScans(run) => run.pt == BcPt::Start,
            Frame::BalanceZones(run) => run.pt == BzPt::Start,
            _ => false,
        })
    })
}

/// The tables with the names of tasks and of the workload's files.
pub fn named(who: &WhoPaid, machine: &Machine, files: &[String]) -> Paid {
    let task = |id: TaskIndex| {
        let task = machine.tasks.at(id);
        task.map_or(String::new(), |task| picture::task_name(&machine.w, task))
    };
    let file = |id: u32| match files.get(id as usize) {
        Some(name) => format!("file {name}"),
        None => "files created in the run".to_string(),
    };
    who.finish(machine, &task, &file)
}

/// The names of an experiment's files, by their number in the machine.
pub fn file_names(experiment: &Experiment) -> Vec<String> {
    let sets = experiment.workload.files.iter();
    sets.flat_map(|set| std::iter::repeat_n(set.name.clone(), set.count as usize))
        .collect()
}
