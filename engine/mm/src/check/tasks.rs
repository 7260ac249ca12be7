//! Checks tasks and their wakers, pages under I/O, and the requests that contain them.

use crate::block::Origin;
use crate::check::Violation;
use crate::frames::Frame;
use crate::machine::{Machine, Task, TaskKind, TaskStatus};
use crate::mmzone::{PageKind, flag};
use crate::user::UsPt;
use crate::vmscan::zone_reclaim::ZrPt;
use crate::world::World;
use facts::index::TaskIndex;

/// Does a task wait in a queue that will be woken, for a page, for kswapd or for a device?
fn waits_in_a_queue(w: &World, task: TaskIndex) -> bool {
    let of_nodes = w.pgdat.iter().any(|p| {
        p.pfmemalloc_wait.contains(&task) || p.reclaim_wait.iter().any(|&(_, t)| t == task)
    });
    let for_pages = w.page_wait.iter().any(|&(_, t)| t == task);
    let for_requests = w.block.devices.iter().any(|d| {
        d.slots.waiting().any(|t| t == task) || d.throttled.iter().any(|list| list.contains(&task))
    });
    let for_mutexes = w.processes.all.iter().any(|p| p.anon_vma.has_waker(task));
    of_nodes || for_pages || for_requests || for_mutexes || w.congestion_wait.contains(&task)
}

/// Does a task wait for tasks or threads it started, at least one of which is alive, or for other
/// threads at a barrier?
fn waits_for_others(m: &Machine, task: TaskIndex) -> bool {
    let all = &m.w.processes.all;
    let id = m.tasks[task].cx.process;
    let Some(own) = all.get(id as usize) else {
        return false;
    };
    let has_children = || {
        m.tasks.iter().any(|t| {
            let process = all.get(t.cx.process as usize);
            t.status != TaskStatus::Exited && process.is_some_and(|p| p.parent == id)
        })
    };
    own.has_waker(task) && (own.children == 0 || !own.threads.is_empty() || has_children())
}

/// Compares the tasks of each process with the processes of the tasks. Each task must be on a CPU
/// of its mask, unless it is about to check that.
fn check_processes(m: &Machine, out: &mut Vec<Violation>) {
    for (process, p) in m.w.processes.all.iter().enumerate() {
        if !p.anon_vma.is_sound() {
            out.push(Violation::MutexTurns {
                process,
                turns: p.anon_vma.turns.len(),
                sleepers: p.anon_vma.sleepers.len(),
            });
        }
        // A task that has left its process must only end.
        let has_left =
            |t: &Task| matches!(t.stack.last(), Some(Frame::User(f)) if f.pt == UsPt::Left);
        let is_of = |t: &Task| {
            let of_process = t.cx.process as usize == process;
            of_process && t.status != TaskStatus::Exited && !has_left(t)
        };
        let alive = m.tasks.iter().filter(|t| is_of(t)).count();
        let of_threads = p.threads.iter().filter(|thread| {
            let task = m.tasks.at(thread.task);
            task.is_some_and(is_of)
        });
        let threads = of_threads.count();
        let main = m.tasks.at(p.space.owner).is_some_and(is_of);
        let says = p.threads.len() + usize::from(main);
        if threads != p.threads.len() || says != alive || (main && p.main_gone) {
            out.push(Violation::Threads {
                process,
                says,
                alive,
            });
        }
    }
    for (task, t) in m.tasks.iter().enumerate() {
        let user = matches!(t.kind, TaskKind::User { .. }) && t.status != TaskStatus::Exited;
        if user && !t.cx.looks_at_cpu && !m.w.facts.may_run(&t.cx, t.cpu) && t.cx.move_to.is_none()
        {
            out.push(Violation::NotAllowed { task, cpu: t.cpu });
        }
    }
}

fn has_done_all(w: &World, task: &Task) -> bool {
    let all = w.facts.interventions.len();
    matches!(task.stack.last(), Some(Frame::Intervene(f)) if f.next as usize == all)
}

/// Is a device idle, or will it send an interrupt?
fn device_has_waker(w: &World, task: TaskIndex, device: u8) -> bool {
    let d = &w.block.devices[usize::from(device)];
    let cpu = w.facts.devices[usize::from(device)].cpu;
    let idle = d.in_flight.is_empty() && d.queued.is_empty();
    d.task == task && (idle || w.sched.cpus[cpu].expects(task))
}

/// Compares the lock flag of each zone or node with the calls of `zone_reclaim` that hold it.
pub(super) fn check_zone_reclaim(m: &Machine, out: &mut Vec<Violation>) {
    let frames = || m.tasks.iter().flat_map(|t| t.stack.iter());
    for (owner, lists) in m.w.mem.lruvecs.entries() {
        let holds = |frame: &&Frame| match frame {
            Frame::ZoneReclaim(f) => {
                let of_owner = m.w.mem.zones[f.zone].lruvec == owner;
                of_owner && matches!(f.pt, ZrPt::Run | ZrPt::Unlock)
            }
            _ => false,
        };
        let passes = frames().filter(holds).count();
        let says = lists.reclaim_locked;
        if passes != usize::from(says) {
            out.push(Violation::ReclaimLocked {
                owner,
                says,
                passes,
            });
        }
    }
}

/// Compares dirty pages and pages under writeback with the counts of devices, and with the requests that must
/// contain pages under I/O.
pub(super) fn check_io(m: &Machine, out: &mut Vec<Violation>) {
    let w = &m.w;
    let mut devices = vec![[0u32; 2]; w.wb.wbs.len()];
    let mut in_io = vec![0u32; w.mem.pages.len()];
    let requests = w.block.devices.iter().flat_map(|d| d.requests());
    let writes = requests.filter(|r| r.write).flat_map(|r| &r.pages);
    let plugs = || m.tasks.iter().flat_map(|t| &t.cx.plug);
    let held_back = m.tasks.iter().flat_map(|t| &t.cx.bio);
    let held_back = held_back.chain(plugs().flat_map(|bio| &bio.pages));
    let extents = w.wb.wbs.iter().flat_map(|wb| &wb.io_ends);
    let waiting = extents.flat_map(|extent| &extent.pages);
    for &frame in writes.chain(held_back).chain(waiting) {
        in_io[frame.index()] += 1;
    }
    // The handler of an interrupt ends a request page by page.
    for task in &m.tasks {
        if let Some(Frame::BlkDone(f)) = task.stack.first() {
            for &frame in f.ended(w) {
                in_io[frame.index()] -= 1;
            }
        }
    }
    for (frame, page) in w.mem.pages.entries() {
        let file = page.is(PageKind::File);
        let counts = [file && page.has(flag::DIRTY), page.has(flag::WRITEBACK)];
        let device = usize::from(w.files.device(page.owner));
        for (i, _) in counts.iter().enumerate().filter(|&(_, &is)| is) {
            if let (true, Some(d)) = (file, devices.get_mut(device)) {
                d[i] += 1;
            }
        }
        let requests = in_io[frame.index()];
        if requests != u32::from(page.has(flag::WRITEBACK)) {
            out.push(Violation::Writeback { frame, requests });
        }
    }
    for (device, (wb, found)) in w.wb.wbs.iter().zip(devices).enumerate() {
        let says = [wb.nr_dirty, wb.nr_writeback];
        if says != found {
            out.push(Violation::DeviceDirty {
                device,
                says,
                found,
            });
        }
    }
    for (device, d) in w.block.devices.iter().enumerate() {
        let mut found = [0; 4];
        let requests = d.requests().map(|r| (r.write, r.sync, r.origin));
        let here = plugs().filter(|bio| usize::from(bio.device) == device);
        for (write, sync, origin) in requests.chain(here.map(|b| (b.write, b.sync, b.origin))) {
            found[usize::from(sync)] += 1;
            let kswapd = usize::from(origin == Origin::Kswapd);
            found[2 + kswapd] += u32::from(write && w.facts.features.blk_mq);
        }
        let says = d.counts();
        if says != found {
            out.push(Violation::Requests {
                device,
                says,
                found,
            });
        }
    }
    for &(frame, task) in &w.page_wait {
        let page = w.mem.pages[frame];
        if page.meta & (flag::LOCKED | flag::WRITEBACK) == 0 {
            out.push(Violation::WaitsForNothing { frame, task });
        }
    }
}

pub(super) fn check_tasks(m: &Machine, out: &mut Vec<Violation>) {
    let sched = &m.w.sched;
    if !sched.wakes.is_empty() || !m.w.births.is_empty() {
        let (wakes, births) = (sched.wakes.len(), m.w.births.len());
        out.push(Violation::Ungranted { wakes, births });
    }
    check_processes(m, out);
    for (id, t) in m.tasks.entries() {
        let task = id.index();
        let cpu = &sched.cpus[t.cpu];
        match t.status {
            TaskStatus::Runnable => {
                let queues = cpu.runnable().filter(|&q| q == id).count();
                if queues != 1 {
                    out.push(Violation::Queues { task, queues });
                }
            }
            TaskStatus::Sleeping => {
                let timers = cpu.sleepers().iter().filter(|&&(_, q)| q == id).count();
                if timers != 1 {
                    out.push(Violation::Timers { task, timers });
                }
            }
            TaskStatus::Waiting => {
                let has_waker = match t.kind {
                    TaskKind::Kswapd { node } => m.w.kswapd[node].task == id,
                    TaskKind::Timer { cpu } => sched.cpus[cpu].irq_task == id,
                    TaskKind::Device { device } => device_has_waker(&m.w, id, device),
                    TaskKind::Flusher { device } => {
                        let wb = &m.w.wb.wbs[usize::from(device)];
                        wb.flusher == id && wb.doing.is_none() && wb.work.is_empty()
                    }
                    // The task is never woken again after its last intervention.
                    TaskKind::Intervention => has_done_all(&m.w, t),
                    TaskKind::User { .. } => waits_for_others(m, id),
                    TaskKind::Scand => crate::numa::autonuma::scand::may_wait(&m.w, id),
                };
                let has_waker = has_waker || waits_in_a_queue(&m.w, id);
                if !has_waker {
                    out.push(Violation::Unwakeable { task });
                }
            }
            TaskStatus::Exited => {}
        }
        let frames = t.stack.len();
        if (frames == 0) != (t.status == TaskStatus::Exited) {
            out.push(Violation::Frames { task, frames });
        }
    }
    if !sched.ended && !sched.bounds(m.w.cpu) {
        out.push(Violation::CpuRest { running: m.w.cpu });
    }
    for (cpu, c) in sched.cpus.entries() {
        let stands = |task: TaskIndex, status: TaskStatus| {
            let task = m.tasks.at(task);
            task.is_some_and(|t| t.status == status && t.cpu == cpu)
        };
        for task in c.runnable() {
            if !stands(task, TaskStatus::Runnable) {
                out.push(Violation::NotRunnable { task, cpu });
            }
        }
        for &(_, task) in c.sleepers() {
            // This is the tick of the CPU.
            if task == c.irq_task {
                continue;
            }
            if !stands(task, TaskStatus::Sleeping) {
                out.push(Violation::NotSleeping { task, cpu });
            }
        }
        if cpu != m.w.cpu && !sched.knows(cpu) {
            out.push(Violation::CpuKey { cpu });
        }
        let users = m.tasks.iter().filter(|t| {
            let user = matches!(t.kind, TaskKind::User { .. });
            user && t.cpu == cpu && t.status != TaskStatus::Exited
        });
        let (says, found) = (c.placed, users.count() as u32);
        if says != found {
            out.push(Violation::Placed { cpu, says, found });
        }
    }
    for (node, k) in m.w.kswapd.iter().enumerate() {
        let status = m.tasks[k.task].status;
        // kswapd notices the end of a nap when it next runs.
        let rests = match status {
            // A task may wait for its own write to begin.
            TaskStatus::Waiting => !waits_in_a_queue(&m.w, k.task),
            TaskStatus::Sleeping => k.napping,
            TaskStatus::Runnable | TaskStatus::Exited => k.napping && !k.awake,
        };
        if k.awake == rests {
            let awake = k.awake;
            out.push(Violation::KswapdFlag { node, awake });
        }
    }
}
