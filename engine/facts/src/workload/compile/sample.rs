//! Compiling `sample`: a loop with a stopwatch.
//!
//! Modelled: its limits and times.
//! Left out: nothing.
//! Invariants: the stopwatch starts before the loop and is read in every round.

use super::{Compiler, Rounds, refuse};
use crate::view::Refusal;
use crate::workload::{MAX_NAME, Op, Sampler, Step, parse_ns};

impl<'a> Compiler<'a> {
    pub(super) fn sample(
        &mut self,
        step: &'a Step,
        at: &str,
        depth: usize,
        out: &mut Vec<Refusal>,
    ) {
        let Step::Sample {
            name,
            times,
            time,
            less,
            together,
            rate,
            body,
        } = step
        else {
            return;
        };
        if name.is_empty() || name.len() > MAX_NAME {
            refuse(
                out,
                &format!("{at}.name"),
                "a name must have 1 to 32 characters",
            );
        }
        if let Some(unit) = rate
            && (unit.is_empty() || unit.len() > MAX_NAME)
        {
            refuse(
                out,
                &format!("{at}.rate"),
                "a unit must have 1 to 32 characters",
            );
        }
        let mut ns = |text: &Option<String>, field: &str| {
            let read = text.as_deref().map_or(Ok(0), parse_ns);
            read.unwrap_or_else(|reason| {
                refuse(out, &format!("{at}.{field}"), &reason);
                0
            })
        };
        let (less_ns, together_below_ns) = (ns(less, "less"), ns(together, "together"));
        let limit_ns = self.loop_ns(time.as_deref(), at, out);
        let sampler = self.samplers.len() as u32;
        self.samplers.push(Sampler {
            name: name.clone(),
            less_ns,
            together_below_ns,
            rate: rate.clone(),
        });
        self.ops.push(Op::Sample { sampler });
        self.repeat(
            Rounds {
                times: *times,
                ns: limit_ns,
                every_ns: 0,
            },
            body,
            Some(Op::Took { sampler }),
            at,
            depth,
            out,
        );
    }
}
