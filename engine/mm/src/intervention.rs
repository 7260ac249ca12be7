//! Interventions: changes that the experiment makes to the running machine at given times.
//!
//! Modelled: writing vm sysctls and what the kernel recomputes then, `drop_caches`,
//! `compact_memory`, fork and exec of a process, SIGKILL, the CPU mask of a task, a slower device.
//! Left out: the actor: no shell uses memory or time for the change. A signal reaches its task when
//! it is next in user mode, or immediately if it sleeps there. With a new CPU mask a task moves
//! when it is next in user mode, or when it is woken. Visible difference: a kernel moves a task
//! that runs in the kernel immediately. Here a killed task gets pages no sooner and finishes its
//! current reclaim. Invariants: up to the first intervention, a run equals the run without
//! interventions.

use crate::compaction::CompactNodes;
use crate::filemap::TruncateInodePages;
use crate::frames::{Context, Flow, Frame, Sleep, Up, room};
use crate::memcg::write::MemoryWrite;
use crate::record::events;
pub use facts::intervention::CompiledAct;
use facts::state::State;

use crate::world::{Birth, World};

events! {
    /// The experiment changed the running machine; interventions are numbered by time.
    Intervention "intervention" from "Engine" { number: Count };
}

room! {
    Intervene: "intervention" in "";
    Simplified "Makes the experiment's changes to the machine, each at its time: proc_sys_write, drop_caches_sysctl_handler, sysctl_compaction_handler, fork, SIGKILL, sched_setaffinity. This takes no time on any CPU.";
    IvPt {
        Wait 0 Yields "wait for the time of the next intervention";
        Apply 0 Plain "make this change to the machine";
        Setup 1 Plain "setup_per_zone_wmarks(), setup_per_zone_lowmem_reserve()";
    }
    locals(self, w) {
        next: number(self.next);
    }
}

/// The pseudo task that applies interventions. It exists even if there are none, so that adding one
/// does not change the run before it.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct Intervene {
    /// Current program point.
    pub pt: IvPt,
    /// Index of the next intervention.
    pub next: u32,
}

impl Intervene {
    /// Frame of the pseudo task, asleep until the first intervention.
    pub fn call() -> Frame {
        Frame::Intervene(Self {
            pt: IvPt::Apply,
            next: 0,
        })
    }

    /// Executes one point.
    #[inline(never)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            IvPt::Wait => {
                let Some(change) = w.facts.interventions.get(self.next as usize) else {
                    cx.sleep = Sleep::Wait;
                    return Flow::Sleep;
                };
                cx.sleep = Sleep::Until(change.at_ns.max(w.now));
                self.pt = IvPt::Apply;
                Flow::Sleep
            }
            IvPt::Apply => self.apply(w, cx, up),
            IvPt::Setup => {
                let facts = std::sync::Arc::clone(&w.facts);
                let done = self.next as usize - 1;
                if let CompiledAct::Set { values } = &facts.interventions[done].act {
                    crate::sysctl::written(w, values);
                }
                self.pt = IvPt::Wait;
                Flow::Next
            }
        }
    }

    fn apply(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        let facts = std::sync::Arc::clone(&w.facts);
        let change = &facts.interventions[self.next as usize];
        w.record(Intervention {
            number: self.next.into(),
        });
        w.spend(w.facts.cost.syscall);
        (self.next, self.pt) = (self.next + 1, IvPt::Wait);
        match &change.act {
            CompiledAct::Set { values } => {
                crate::sysctl::write(w, values);
                self.pt = IvPt::Setup;
            }
            CompiledAct::DropCaches {} => {
                return up.call(TruncateInodePages::drop_caches(false), w, cx);
            }
            CompiledAct::CompactMemory {} => return up.call(CompactNodes::call(), w, cx),
            &CompiledAct::Start { program } => {
                let node = facts.programs[program as usize].node.zonelist();
                let parent = crate::frames::NONE;
                w.spawn(Birth {
                    program,
                    node,
                    parent,
                    thread: None,
                });
            }
            &CompiledAct::Kill { program, instance } => w.signal(program, instance),
            CompiledAct::Affinity {
                program,
                instance,
                cpus,
            } => w.set_affinity(*program, *instance, facts.mask_of(cpus)),
            &CompiledAct::Cgroup { group, file, pages } => {
                return up.call(MemoryWrite::call(group, file, pages), w, cx);
            }
            &CompiledAct::Slow { device, percent } => w.block.slow(device, percent),
        }
        Flow::Next
    }
}
