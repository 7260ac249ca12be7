//! Memory cgroups, version 2 (mm/memcontrol.c).
//!
//! Modelled: page counters, stocks, effective protection, the pause above `memory.high`, the score of
//! the OOM killer, the averages of pressure.

pub mod counter;
pub mod high;
pub mod pressure;
pub mod protection;
pub mod score;
pub mod stock;

/// Pages charged at once, of which the rest goes into the stock of the CPU (`MEMCG_CHARGE_BATCH`).
pub const BATCH: u32 = 64;
