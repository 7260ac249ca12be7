//! Tests of the block layer: device speed, queues, congestion.

use super::drive::{CACHED_WRITE_NS, HALF_TURN_NS};
use super::queue::{EXPIRE_NS, GUEST_NS, READ_TURN_NS, WRITE_TURN_NS};
use super::*;
use crate::experiment::Experiment;
use crate::machine::Machine;
use crate::mmzone::flag;
use crate::page_writeback::set_page_writeback;
use crate::profile::DeviceProfile;
use facts::index::FrameIndex;

const MS: u64 = 1_000_000;

fn drive(model: DeviceModel) -> Drive {
    let mut profile = DeviceProfile::new("sda", model, true, 0);
    if model == DeviceModel::Throttled {
        profile.bytes_per_s = Some(30 << 20);
    }
    Drive::new(&profile, 0, 4, 1, true)
}

fn request(write: bool, start: u64, pages: u32, now: u64) -> Request {
    Request {
        write,
        sync: !write,
        origin: Origin::Other,
        task: TaskIndex::new(0),
        start,
        pages: FrameIndex::all(pages as usize).collect(),
        io_end: crate::frames::NONE,
        queued_at: now,
        issued_at: 0,
        ends_at: u64::MAX,
    }
}

/// Runs a device until its queue is empty; returns the start and end time (ns) of each request, in
/// the order in which they end.
fn work_off(d: &mut Device, drive: &Drive) -> Vec<(u64, u64)> {
    let (mut now, mut out) = (0, Vec::new());
    loop {
        while d.is_ready(drive, now) {
            let Some(i) = d.choose(drive, now) else {
                break;
            };
            let mut r = d.queued.remove(i);
            let pages = r.pages.len() as u64;
            r.ends_at = d.serve(drive, r.write, r.start, pages, now);
            let place = d.in_flight.partition_point(|o| o.ends_at <= r.ends_at);
            d.in_flight.insert(place, r);
        }
        let next = d.next_event(drive);
        if next == u64::MAX {
            return out;
        }
        now = now.max(next);
        while d.in_flight.first().is_some_and(|r| r.ends_at <= now) {
            let r = d.in_flight.remove(0);
            out.push((r.start, r.ends_at));
        }
    }
}

fn queue(requests: Vec<Request>) -> Device {
    let mut d = Device::new(TaskIndex::new(0));
    d.queued = requests;
    d
}

#[test]
fn computes_the_time_of_a_seek_from_its_distance() {
    let disk = drive(DeviceModel::Disk2010);
    assert_eq!(disk.position(false, 1000, 1000), 0);
    // On the same track the disk only waits until the page passes the head.
    let ahead = disk.position(false, 1000, 1100);
    assert!((3 * MS..4 * MS).contains(&ahead), "{ahead}");
    let third = disk.position(false, 0, disk.pages / 3);
    assert!((12_600_000..12_700_000).contains(&third), "{third}");
    assert_eq!(disk.position(false, disk.pages, 0), 14 * MS + HALF_TURN_NS);
    assert_eq!(disk.position(true, disk.pages, 0), CACHED_WRITE_NS);
}

#[test]
fn serves_requests_at_the_rates_that_manufacturers_state() {
    // (model, MB/s of sequential reads by requests of 1 MiB)
    for (model, rate) in [
        (DeviceModel::Disk2010, 108),
        (DeviceModel::Disk2014, 152),
        (DeviceModel::Ssd2021, 549),
        (DeviceModel::Nvme2021, 3491),
    ] {
        let drive = drive(model);
        let all = (0..100).map(|i| request(false, i * 256, 256, 0)).collect();
        let ends = work_off(&mut queue(all), &drive);
        let found = 100 * (1 << 20) * 1000 / ends.last().expect("an end").1;
        assert_eq!(found, rate, "{model:?}");
    }
    // Requests of 4 KiB at queue depth 1.
    for (model, write, us) in [
        (DeviceModel::Ssd2021, false, 90),
        (DeviceModel::Ssd2021, true, 34),
        (DeviceModel::Nvme2021, false, 70),
        (DeviceModel::Nvme2021, true, 19),
    ] {
        let drive = drive(model);
        let ends = work_off(&mut queue(vec![request(write, 9, 1, 0)]), &drive);
        assert_eq!(ends[0].1 / 1000, us, "{model:?}");
    }
}

/// 150 requests per second are usual with a deep queue, 75 with one request at a time.
#[test]
fn serves_a_deep_queue_of_a_disk_faster_than_single_requests() {
    let disk = drive(DeviceModel::Disk2010);
    let place = |i: u64| i * 7_919 % 32 * (disk.pages / 32);
    let all = (0..32).map(|i| request(false, place(i), 1, 0)).collect();
    let deep = work_off(&mut queue(all), &disk).last().expect("an end").1;
    let mut one_by_one = 0;
    let mut d = queue(Vec::new());
    for i in 0..32 {
        d.queued.push(request(false, place(i), 1, 0));
        d.busy_until = 0;
        one_by_one += work_off(&mut d, &disk)[0].1;
    }
    let per_second = |ns: u64| 32_000_000_000 / ns;
    assert_eq!((per_second(deep), per_second(one_by_one)), (135, 71));
}

#[test]
fn serves_a_burst_on_a_throttled_device_at_once_and_limits_the_rest_to_the_rate_of_the_device() {
    let guest = drive(DeviceModel::Throttled);
    let all = (0..90).map(|i| request(true, i * 256, 256, 0)).collect();
    let ends = work_off(&mut queue(all), &guest);
    assert!(ends[..4].iter().all(|&(_, at)| at == GUEST_NS), "{ends:?}");
    let last = ends.last().expect("an end").1 / MS;
    assert!((2860..2900).contains(&last), "{last} ms for 3 s of data");
}

#[test]
fn serves_the_requests_of_a_disk_in_one_direction() {
    let disk = drive(DeviceModel::Disk2010);
    let starts = [50_000_000, 100, 30_000_000, 20_000_000];
    let mut d = queue(starts.map(|s| request(false, s, 1, 0)).to_vec());
    d.head = 25_000_000;
    let order: Vec<u64> = work_off(&mut d, &disk).iter().map(|e| e.0).collect();
    assert_eq!(order, [30_000_000, 50_000_000, 100, 20_000_000]);
}

#[test]
fn serves_reads_first_until_writes_have_waited_too_long() {
    const MODEL: DeviceModel = DeviceModel::Disk2010;
    let disk = drive(MODEL);
    let mut d = queue(vec![request(true, 0, 1, 0), request(false, 9, 1, 0)]);
    assert!(!d.direction(&disk, 5));
    assert!(!d.direction(&disk, READ_TURN_NS));
    assert!(d.direction(&disk, 5 + READ_TURN_NS));
    assert!(d.direction(&disk, 4 + READ_TURN_NS + WRITE_TURN_NS));
    assert!(!d.direction(&disk, 5 + READ_TURN_NS + WRITE_TURN_NS));
    d.queued.remove(1);
    assert!(d.direction(&disk, 6 + READ_TURN_NS + WRITE_TURN_NS));
    // A request that the sweep has passed goes next once it has waited too long.
    let mut d = queue(vec![request(false, 5, 1, 0), request(false, 100, 1, 0)]);
    d.head = 50;
    assert_eq!(d.choose(&disk, 1), Some(1));
    assert_eq!(d.choose(&disk, EXPIRE_NS[0] + 1), Some(0));
}

#[test]
fn merges_adjacent_requests_of_the_same_kind() {
    let mut d = queue(vec![request(true, 100, 10, 0)]);
    let ssd = drive(DeviceModel::Ssd2021);
    assert!(d.merge(&request(true, 110, 2, 0), &ssd));
    assert!(d.merge(&request(true, 98, 2, 0), &ssd));
    let merged = (d.queued[0].start, d.queued[0].pages.len());
    assert_eq!(merged, (98, 14));
    assert_eq!(d.queued[0].pages[..3], [0, 1, 0].map(FrameIndex::new));
    assert!(!d.merge(&request(true, 120, 1, 0), &ssd));
    assert!(!d.merge(&request(false, 112, 1, 0), &ssd));
    assert!(!d.merge(&request(true, 112, 243, 0), &ssd));
}

/// Boots a machine with one task that only computes, a device, and page frames to write to it.
fn idle(kernel: &str) -> Machine {
    let think = r#"{ "op": "think", "time": "10s" }"#;
    let text = format!(
        r#"{{ "machine": "x86_64-3g-teach", "kernel": "{kernel}", "seed": 1, "length": "100s",
        "workload": {{ "id": "w", "title": "w", "about": "w", "processes": [
            {{ "name": "p", "count": 1, "program": [{think}, {think}, {think}] }}] }} }}"#
    );
    let mut m = Machine::boot(&Experiment::from_json(&text).expect("valid"));
    m.run(u64::MAX, 1_000_000_000);
    m
}

/// Writes pages that are far from each other, so that each one is a separate request.
fn write_far(m: &mut Machine, frames: std::ops::Range<u32>) {
    for frame in frames {
        set_page_writeback(&mut m.w, FrameIndex::new(frame));
        let bio = Bio {
            device: 0,
            write: true,
            sync: false,
            origin: Origin::Other,
            start: u64::from(frame) * 1000,
            pages: vec![FrameIndex::new(frame)],
            end: End::Write,
            io_end: crate::frames::NONE,
        };
        submit_bio(&mut m.w, bio);
    }
}

#[test]
fn unlocks_the_pages_of_a_read_when_its_interrupt_arrives() {
    let mut m = idle("6.1");
    let t0 = m.w.now;
    for frame in 1..9 {
        m.w.mem.pages[FrameIndex::new(frame)].set(flag::LOCKED);
    }
    let bio = Bio {
        device: 0,
        write: false,
        sync: true,
        origin: Origin::Sync,
        start: 0,
        pages: (1..9).map(FrameIndex::new).collect(),
        end: End::Read,
        io_end: crate::frames::NONE,
    };
    submit_bio(&mut m.w, bio);
    assert_eq!(m.w.counters.pgpgin, 32);
    let most = m.w.facts.devices[0].max_pages as usize;
    let lengths: Vec<usize> = m.w.block.devices[0]
        .requests()
        .map(|r| r.pages.len())
        .collect();
    assert_eq!((most, lengths), (4, vec![4, 4]));
    let locked = |m: &Machine| {
        (1..9)
            .filter(|&f| m.w.mem.pages[FrameIndex::new(f)].has(flag::LOCKED))
            .count()
    };
    // 32 KiB at a 307th of 110 MB/s are 92 ms.
    m.run(u64::MAX, t0 + 45 * MS);
    assert_eq!(locked(&m), 8);
    m.run(u64::MAX, t0 + 60 * MS);
    assert_eq!(locked(&m), 4);
    m.run(u64::MAX, t0 + 100 * MS);
    assert_eq!(locked(&m), 0);
    assert!(m.w.block.devices[0].requests().next().is_none());
    assert_eq!(crate::check::check(&m), []);
}

#[test]
fn marks_a_queue_congested_from_113_requests_until_fewer_than_103_are_left() {
    for (kernel, marked) in [("3.0", true), ("6.1", false)] {
        let mut m = idle(kernel);
        write_far(&mut m, 1..113);
        assert!(!m.w.block.write_congested(0));
        write_far(&mut m, 113..114);
        assert_eq!(m.w.block.write_congested(0), marked);
        let mut left = 113;
        while left > 0 {
            let (step, now) = (m.w.run.steps() + 1, u64::MAX);
            m.run(step, now);
            left = m.w.block.devices[0].requests().count();
            assert_eq!(m.w.block.any_congested(), marked && left >= 103, "{left}");
        }
        assert_eq!(m.w.counters.pgpgout, 113 * 4);
        assert_eq!(m.w.counters.nr_written, 113);
        assert_eq!(crate::check::check(&m), []);
    }
}

#[test]
fn only_a_batching_task_may_add_requests_to_a_full_queue() {
    // A queue accepts 128 requests of each kind; with blk-mq 256 tags, three quarters of them for
    // asynchronous requests.
    for (kernel, most) in [("3.0", 128), ("6.1", 192)] {
        let mut m = idle(kernel);
        write_far(&mut m, 1..most);
        assert!(has_room(&m.w, 0, false), "{kernel}");
        write_far(&mut m, most..most + 1);
        // Before blk-mq the task that filled the queue may submit a batch.
        assert_eq!(has_room(&m.w, 0, false), kernel == "3.0");
        m.w.task = m.w.task.next();
        assert!(!has_room(&m.w, 0, false), "{kernel}");
        assert!(has_room(&m.w, 0, true), "{kernel}");
    }
}

#[test]
fn alternates_reads_and_writes_on_a_throttled_device() {
    let guest = drive(DeviceModel::Throttled);
    let mut all: Vec<Request> = (0..3).map(|i| request(true, i * 256, 256, 0)).collect();
    all.extend((0..3).map(|i| request(false, 90_000 + i, 1, 0)));
    let mut d = queue(all);
    // The last request was a write.
    d.serve(&guest, true, 0, 1, 0);
    let order: Vec<bool> = (0..6)
        .map(|_| {
            let i = d.choose(&guest, 0).expect("a request");
            let r = d.queued.remove(i);
            d.serve(&guest, r.write, r.start, 1, 0);
            r.write
        })
        .collect();
    assert_eq!(order, [false, true, false, true, false, true]);
    assert!(!queue(vec![request(true, 0, 1, 0)]).merge(&request(true, 1, 1, 0), &guest));
}

#[test]
fn kswapd_waits_for_all_its_writes_once_16_are_in_flight() {
    let mut m = idle("6.1");
    let write = |m: &mut Machine, frame: FrameIndex| {
        set_page_writeback(&mut m.w, frame);
        let bio = Bio {
            device: 0,
            write: true,
            sync: false,
            origin: Origin::Kswapd,
            start: u64::from(frame.get()) * 1000,
            pages: vec![frame],
            end: End::Write,
            io_end: crate::frames::NONE,
        };
        submit_bio(&mut m.w, bio);
    };
    for frame in 1..17 {
        assert!(may_write(&m.w, 0, Origin::Kswapd));
        write(&mut m, FrameIndex::new(frame));
    }
    assert!(!may_write(&m.w, 0, Origin::Kswapd));
    // Others have a separate limit: 8, or 4 for background writes.
    assert!(may_write(&m.w, 0, Origin::Other));
    // The waiting task goes first; a later one waits behind it even if a slot is free.
    wbt::queue_up(&mut m.w, 0, Origin::Kswapd, TaskIndex::new(0));
    while m.w.block.devices[0].wbt.inflight[1] > 1 {
        m.run(m.w.run.steps() + 1, u64::MAX);
    }
    assert!(!may_write(&m.w, 0, Origin::Kswapd));
    assert!(may_begin(&m.w, 0, Origin::Kswapd, 0));
    assert_eq!(crate::check::check(&m), []);
}

#[test]
fn holds_writes_in_a_plug_until_it_is_flushed() {
    let mut m = idle("6.1");
    let mut cx = Context::new(TaskIndex::new(0), 0, crate::rng::Rng::stream(1, 1));
    let most = m.w.facts.devices[0].max_pages;
    let queued = |m: &Machine| m.w.block.devices[0].requests().count();
    let write = |m: &mut Machine, cx: &mut Context, frame: FrameIndex, start: u64| {
        set_page_writeback(&mut m.w, frame);
        if !plug_merge(&mut m.w, cx, 0, start, frame) {
            let bio = Bio {
                device: 0,
                write: true,
                sync: false,
                origin: Origin::Other,
                start,
                pages: vec![frame],
                end: End::Write,
                io_end: crate::frames::NONE,
            };
            plug_bio(&mut m.w, cx, bio);
        }
    };
    for i in 0..most {
        write(&mut m, &mut cx, FrameIndex::new(i + 1), i.into());
    }
    assert_eq!((cx.plug.len(), queued(&m)), (1, 0));
    // The next page directly follows the last one, but the request already has its maximum length.
    write(&mut m, &mut cx, FrameIndex::new(most + 1), most.into());
    assert_eq!(m.w.block.devices[0].counts()[2], 2);
    flush_plug(&mut m.w, &mut cx);
    assert_eq!((cx.plug.len(), queued(&m)), (0, 2));
    assert_eq!(m.w.counters.pgpgout, u64::from(most + 1) * 4);
    assert_eq!(crate::check::check(&m), []);
}

/// Properties of a rotational disk whose readers take turns.
fn turning() -> Drive {
    let profile = DeviceProfile::new("sda", DeviceModel::Disk2014, true, 0);
    Drive::new(&profile, 0, 4, 1, false)
}

/// Each task reads 32 pages at a time in sequence, and thinks after each read. Returns the total
/// MB/s and the longest wait of a read.
fn read_in_turns(readers: u32, think: u64, span: u64) -> (u64, u64) {
    let disk = turning();
    let mut d = Device::new(TaskIndex::new(0));
    let mut at: Vec<u64> = (0..u64::from(readers)).map(|i| i * span).collect();
    let mut asks: Vec<u64> = vec![0; readers as usize];
    let (mut now, mut pages, mut longest) = (0, 0, 0);
    while now < 10_000 * MS {
        for task in 0..readers {
            let asked = &mut asks[task as usize];
            if *asked <= now {
                let mut r = request(false, at[task as usize], 32, *asked);
                r.task = TaskIndex::new(task);
                at[task as usize] += 32;
                *asked = u64::MAX;
                d.queue(r, &disk);
            }
        }
        if d.is_ready(&disk, now)
            && let Some(i) = d.choose(&disk, now)
        {
            let mut r = d.queued.remove(i);
            r.ends_at = d.serve(&disk, r.write, r.start, 32, now);
            d.in_flight.push(r);
        }
        let asked = asks.iter().copied().filter(|&t| t > now).min();
        let next = d.next_event(&disk).max(now + 1);
        now = next.min(asked.unwrap_or(u64::MAX));
        if d.in_flight.first().is_some_and(|r| r.ends_at <= now) {
            let r = d.in_flight.remove(0);
            d.turns.ended(&r, &d.queued, now);
            longest = longest.max(now - r.queued_at);
            pages += 32;
            asks[r.task.index()] = now + think;
        }
    }
    (pages * 4096 * 1000 / now, longest / MS)
}

/// The disk seeks once per turn instead of once per request: four readers lose less than a fifth of
/// the bandwidth, not two thirds. No read waits longer than the slices of the other readers and the
/// seeks between them.
#[test]
fn serves_readers_of_a_rotational_disk_in_time_slices() {
    let far = turning().pages / 16;
    let (alone, _) = read_in_turns(1, MS / 10, far);
    let (four, waited) = read_in_turns(4, MS / 10, far);
    assert!(four > alone * 4 / 5, "{four} of {alone} MB/s");
    assert!((200..400).contains(&waited), "{waited} ms");
    let (sixteen, waited) = read_in_turns(16, MS / 10, far);
    assert!((alone / 3..four).contains(&sixteen), "{sixteen} MB/s");
    assert!(waited < 700, "{waited} ms");
}

/// A task loses its time slice if its next request arrives more than 8 ms after the last one. Until
/// then the disk is idle, although other tasks wait.
#[test]
fn waits_8_ms_for_the_next_read_of_the_same_task() {
    let disk = turning();
    let mut d = Device::new(TaskIndex::new(0));
    let ask = |d: &mut Device, task: TaskIndex, start: u64, now: u64| {
        let mut r = request(false, start, 32, now);
        r.task = task;
        d.queue(r, &disk);
    };
    ask(&mut d, TaskIndex::new(1), 0, 0);
    let i = d.choose(&disk, 0).expect("the only one");
    let first = d.queued.remove(i);
    ask(&mut d, TaskIndex::new(2), disk.pages / 2, 1);
    d.turns.ended(&first, &d.queued, 5 * MS);
    assert_eq!(d.choose(&disk, 12 * MS), None);
    assert_eq!(d.next_event(&disk), 13 * MS);
    let other = d.choose(&disk, 13 * MS).expect("the other task's");
    assert_eq!(d.queued[other].task, TaskIndex::new(2));
    // A read that arrives in time is served before the read of the other task.
    ask(&mut d, TaskIndex::new(1), 32, 13 * MS);
    d.queued.remove(other);
    d.turns.ended(&first, &d.queued, 14 * MS);
    let next = d.choose(&disk, 14 * MS).expect("one of two");
    assert_eq!(d.queued[next].task, TaskIndex::new(1));
}

/// The disk no longer waits for a task that had more than four seeks in its last 32 requests.
#[test]
fn does_not_wait_for_the_next_read_of_a_seeking_task() {
    let disk = turning();
    let mut d = Device::new(TaskIndex::new(0));
    for i in 0..6 {
        let mut r = request(false, i * 1_000_000, 1, 0);
        r.task = TaskIndex::new(1);
        d.queue(r, &disk);
    }
    let i = d.choose(&disk, 0).expect("a request");
    let r = d.queued.remove(i);
    d.queued.clear();
    let mut other = request(false, 77_000_000, 1, MS);
    other.task = TaskIndex::new(2);
    d.queue(other, &disk);
    d.turns.ended(&r, &d.queued, MS);
    assert_eq!(d.choose(&disk, MS), Some(0));
}

/// Reads go first for their share of 300 ms, then writes for two fifths of that time.
#[test]
fn gives_writes_less_time_when_more_tasks_read() {
    use super::turns::Turns;
    assert_eq!(Turns::shares(1), (150 * MS, 60 * MS));
    assert_eq!(Turns::shares(3), (225 * MS, 30 * MS));
    assert_eq!(Turns::shares(0), (16 * MS, 120 * MS));
}
