//! Events, packed.
//!
//! Modelled: nothing. Left out: events beyond a limit, which are counted and not stored.
//! Invariants: events are in order; times never go back; a stored event reads back unchanged.
//!
//! A number takes one byte for every seven bits. A time is stored as the difference from the
//! previous event. An event takes about 20 to 30 bytes, while a line has 190.

use crate::NOTHING;

/// The most events that are stored.
pub const MOST_EVENTS: usize = 4_000_000;
/// The most bytes that all stored events take.
pub const MOST_BYTES: usize = 192 << 20;
/// The number of events in a block; an event is found by reading its block from the start.
const BLOCK: usize = 1024;

/// A stored event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// The index of its kind among those of the trace.
    pub kind: u32,
    /// The time by the clock of the trace, ns.
    pub ns: u64,
    /// The number of its task.
    pub task: u32,
    /// CPU.
    pub cpu: u32,
    /// Its values, by the columns of its kind; missing values at the end are left out.
    pub values: Vec<i64>,
}

#[derive(Debug)]
struct Block {
    bytes: Vec<u8>,
    first_ns: u64,
}

/// All stored events.
#[derive(Debug, Default)]
pub struct Store {
    blocks: Vec<Block>,
    /// How many.
    pub count: usize,
    /// Their bytes.
    pub bytes: usize,
    last_ns: u64,
}

impl Store {
    /// Stores an event, whose time is not before the last one's. False if there is no more space.
    pub fn push(&mut self, event: &Event) -> bool {
        if self.count >= MOST_EVENTS || self.bytes >= MOST_BYTES {
            return false;
        }
        if self.count.is_multiple_of(BLOCK) {
            if let Some(block) = self.blocks.last_mut() {
                block.bytes.shrink_to_fit();
            }
            self.blocks.push(Block {
                bytes: Vec::with_capacity(BLOCK * 32),
                first_ns: event.ns,
            });
            self.last_ns = event.ns;
        }
        let Some(Block { bytes, .. }) = self.blocks.last_mut() else {
            return false;
        };
        let before = bytes.len();
        put(bytes, event.kind.into());
        put(bytes, event.ns.saturating_sub(self.last_ns));
        put(bytes, event.task.into());
        put(bytes, event.cpu.into());
        put(bytes, event.values.len() as u64);
        for &value in &event.values {
            put(
                bytes,
                if value == NOTHING {
                    0
                } else {
                    zigzag(value) + 1
                },
            );
        }
        self.last_ns = event.ns;
        self.count += 1;
        self.bytes += bytes.len() - before;
        true
    }

    /// The events from an index on, with their indices.
    pub fn from(&self, first: usize) -> impl Iterator<Item = (usize, Event)> {
        let blocks = self.blocks.iter().enumerate().skip(first / BLOCK);
        let events = blocks.flat_map(|(at, block)| {
            let mut reading = Reading {
                rest: &block.bytes,
                ns: block.first_ns,
            };
            let mut index = at * BLOCK;
            std::iter::from_fn(move || {
                let event = reading.event()?;
                index += 1;
                Some((index - 1, event))
            })
        });
        events.skip_while(move |&(index, _)| index < first)
    }
}

struct Reading<'a> {
    rest: &'a [u8],
    ns: u64,
}

impl Reading<'_> {
    fn event(&mut self) -> Option<Event> {
        let kind = self.number()? as u32;
        self.ns += self.number()?;
        let (task, cpu) = (self.number()? as u32, self.number()? as u32);
        let count = self.number()?;
        let values = (0..count).map(|_| {
            Some(match self.number()? {
                0 => NOTHING,
                n => unzigzag(n - 1),
            })
        });
        let values = values.collect::<Option<Vec<i64>>>()?;
        let ns = self.ns;
        Some(Event {
            kind,
            ns,
            task,
            cpu,
            values,
        })
    }

    fn number(&mut self) -> Option<u64> {
        let (mut n, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            n |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 || shift > 63 {
                return Some(n);
            }
        }
    }
}

fn put(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push((n as u8) | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

const fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

const fn unzigzag(n: u64) -> i64 {
    (n >> 1) as i64 ^ -((n & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_can_be_read_back_from_any_index() {
        let mut store = Store::default();
        let event = |i: usize| Event {
            kind: (i % 300) as u32,
            ns: 7 * i as u64 * i as u64,
            task: i as u32,
            cpu: 3,
            values: vec![i as i64, -(i as i64), NOTHING, NOTHING - 1, 1 - NOTHING],
        };
        let count = 3 * BLOCK + 5;
        for i in 0..count {
            assert!(store.push(&event(i)));
        }
        for first in [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK + 7, count - 1, count] {
            let all: Vec<(usize, Event)> = store.from(first).collect();
            assert_eq!(all.len(), count - first);
            assert!(
                all.iter().all(|(i, stored)| *stored == event(*i)),
                "{first}"
            );
        }
    }
}
