//! Which kernel printed a trace.
//!
//! Modelled: the changes between the print formats of the table. Left out: kernels that changed
//! single events. Invariants: a clue only narrows the range; a clue that contradicts the others is
//! ignored.

use crate::dialect::Era;
use crate::form::Form;
use crate::pairs::{Pairs, cut};
use crate::prefix::{Prefix, Source};

/// The range of print formats that is still possible, and the clues.
#[derive(Debug, Clone)]
pub struct Guess {
    /// The oldest possible format.
    pub oldest: Era,
    /// The newest possible format.
    pub newest: Era,
    /// The clues, in order.
    pub why: Vec<String>,
    /// The kernel's own header was seen, so that lines have its flags.
    has_header: bool,
    /// A comment says that the flags were left out.
    without_flags: bool,
}

impl Default for Guess {
    fn default() -> Guess {
        Guess {
            oldest: Era::V2_6_37,
            newest: Era::V6_12,
            why: Vec::new(),
            has_header: false,
            without_flags: false,
        }
    }
}

impl Guess {
    /// The format for reading values: the newest possible one.
    pub fn era(&self) -> Era {
        self.newest
    }

    fn is_settled(&self) -> bool {
        self.oldest == self.newest
    }

    fn narrow(&mut self, oldest: Era, newest: Era, why: impl FnOnce() -> String) {
        let (from, to) = (self.oldest.max(oldest), self.newest.min(newest));
        if from <= to && (from, to) != (self.oldest, self.newest) {
            (self.oldest, self.newest) = (from, to);
            self.why.push(why());
        }
    }

    /// A line above the events.
    pub fn remark(&mut self, text: &str) {
        self.has_header |= text.starts_with("# tracer:");
        self.without_flags |= text.starts_with("# For the kernel's own scripts");
        if text.ends_with("migrate-disable") {
            self.narrow(Era::V5_15, Era::V6_12, || {
                "the header explains a column for migrate-disable".to_string()
            });
        } else if text.ends_with("preempt-depth") {
            self.narrow(Era::V3_16, Era::V6_12, || {
                "the header explains flags".to_string()
            });
        }
    }

    /// The first half of an event's line.
    pub fn prefix(&mut self, prefix: &Prefix<'_>) {
        if self.is_settled() || prefix.source != Source::Trace {
            return;
        }
        match prefix.flags.map(str::len) {
            Some(4) => self.narrow(Era::V3_16, Era::V5_10, || {
                "lines have four flags".to_string()
            }),
            Some(5) => self.narrow(Era::V5_15, Era::V6_12, || {
                "lines have five flags".to_string()
            }),
            None if self.has_header && !self.without_flags => {
                self.narrow(Era::V2_6_37, Era::V2_6_37, || {
                    "lines have no flags".to_string()
                });
            }
            _ => {}
        }
    }

    /// The second half of an event's line: the form that fits it, and its keys and values.
    pub fn details(&mut self, event: &str, form: &Form, is_exact: bool, pairs: &Pairs<'_>) {
        if self.is_settled() {
            return;
        }
        let point = form.point;
        let range = format_range(point.since, point.until);
        if is_exact {
            self.narrow(point.since, point.until, || {
                format!("{event} has the name and fields of {range}")
            });
        }
        let value = |name: &str| {
            pairs
                .all
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, v)| *v)
        };
        if event == "mm_migrate_pages" && value("nr_split").is_some() {
            self.narrow(Era::V6_12, Era::V6_12, || {
                "mm_migrate_pages has nr_split".to_string()
            });
        }
        if let Some(pfn) = value("pfn").filter(|_| {
            form.placeholders()
                .any(|placeholder| placeholder.key == "pfn")
        }) {
            if pfn.starts_with("0x") {
                self.narrow(Era::V5_15, Era::V6_12, || {
                    "page frame numbers are hexadecimal".to_string()
                });
            } else {
                self.narrow(Era::V2_6_37, Era::V5_10, || {
                    "page frame numbers are decimal".to_string()
                });
            }
        }
        let Some(gfp) = value("gfp_flags") else {
            return;
        };
        if gfp.contains("__GFP_") || gfp == "none" {
            self.narrow(Era::V3_16, Era::V6_12, || {
                format!("gfp flags read {}", cut(gfp))
            });
        } else if gfp
            .split('|')
            .any(|word| matches!(word, "GFP_ZERO" | "GFP_COMP" | "GFP_WAIT"))
        {
            self.narrow(Era::V2_6_37, Era::V3_16, || {
                format!("gfp flags read {}", cut(gfp))
            });
        }
    }

    /// An event that the table lacks.
    pub fn event(&mut self, event: &str) {
        if !self.is_settled() && event == "mm_compaction_fast_isolate_freepages" {
            self.narrow(Era::V6_12, Era::V6_12, || format!("it has {event}"));
        }
    }

    /// gfp flags and migrate types as before 4.4. A range that includes newer kernels counts as new.
    pub fn is_old(&self) -> bool {
        self.newest.is_old()
    }
}

fn format_range(since: Era, until: Era) -> String {
    match (since, until) {
        (since, until) if since == until => since.name().to_string(),
        (since, until) => format!("{} to {}", since.name(), until.name()),
    }
}
