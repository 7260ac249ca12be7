//! The output of the guest's programs (`workload.log`): when each began, and what it touched, wrote and
//! created.
//!
//! Read: `hog pass N touched P pages in T s`, `written N MB`, `wrote FILE N MB in T s`, `read FILE N MB
//! in T s`, `created N`; the guest's time precedes each.
//! Left out: lines about fragments, huge pages and sweeps, whose workloads are not repeated.

/// One pass of a hog over its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// The time at which it ended, guest's ms.
    pub ended_ms: u64,
    /// Pages it touched.
    pub pages: u64,
    /// The duration, ms.
    pub took_ms: u64,
}

/// One writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writer {
    /// The time at which it ended, guest's ms.
    pub ended_ms: u64,
    /// MiB it wrote.
    pub mib: u64,
    /// How long it took, ms.
    pub took_ms: u64,
}

impl Pass {
    /// The time at which it began, guest's ms.
    pub fn began_ms(&self) -> u64 {
        self.ended_ms.saturating_sub(self.took_ms)
    }
}

impl Writer {
    /// The time at which it began, guest's ms.
    pub fn began_ms(&self) -> u64 {
        self.ended_ms.saturating_sub(self.took_ms)
    }
}

/// The output of the programs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    /// The passes of each hog, in the order of the log; a hog that was killed printed none.
    pub hogs: Vec<Vec<Pass>>,
    /// Each writer.
    pub writers: Vec<Writer>,
    /// Files that were created.
    pub created: Option<u64>,
    /// The longest write() of all writers in each second that has one, us.
    pub longest_writes_us: Vec<u64>,
}

impl Log {
    /// Reads a log and skips lines of other kinds.
    pub fn parse(text: &str) -> Log {
        let mut log = Log::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            log.line(&words);
        }
        log
    }

    fn line(&mut self, words: &[&str]) {
        match *words {
            [
                at,
                "hog",
                "pass",
                number,
                "touched",
                pages,
                "pages",
                "in",
                took,
                "s",
            ] => {
                let pass = || {
                    Some(Pass {
                        ended_ms: ms(at)?,
                        pages: pages.parse().ok()?,
                        took_ms: ms(took)?,
                    })
                };
                if number == "0" || self.hogs.is_empty() {
                    self.hogs.push(Vec::new());
                }
                if let Some(hog) = self.hogs.last_mut() {
                    hog.extend(pass());
                }
            }
            [at, "wrote", _, mib, "MB", "in", took, "s"] => {
                let writer = || {
                    Some(Writer {
                        ended_ms: ms(at)?,
                        mib: mib.parse().ok()?,
                        took_ms: ms(took)?,
                    })
                };
                self.writers.extend(writer());
            }
            [_, "written", _, "MB", "max", _, longest, "s"] => {
                self.longest_writes_us.extend(scaled(longest, 1e6));
            }
            [_, "created", count] => self.created = count.parse().ok(),
            _ => {}
        }
    }

    /// When the first program began, guest's ms.
    pub fn began_ms(&self) -> Option<u64> {
        self.spans().map(|(began, _)| began).min()
    }

    /// The time from the start of the first program to the end of the last, guest's seconds.
    pub fn span_s(&self) -> Option<[f64; 2]> {
        let ended = self.spans().map(|(_, ended)| ended).max()?;
        Some([self.began_ms()?, ended].map(|ms| ms as f64 / 1000.0))
    }

    /// When each began and ended, guest's ms.
    fn spans(&self) -> impl Iterator<Item = (u64, u64)> {
        let passes = self.hogs.iter().flatten();
        let passes = passes.map(|pass| (pass.began_ms(), pass.ended_ms));
        let writers = self.writers.iter();
        passes.chain(writers.map(|writer| (writer.began_ms(), writer.ended_ms)))
    }
}

/// Seconds of the log, in ms.
fn ms(seconds: &str) -> Option<u64> {
    scaled(seconds, 1e3)
}

fn scaled(seconds: &str, by: f64) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok()?;
    (0.0..1e9)
        .contains(&seconds)
        .then(|| (seconds * by).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gives_the_start_and_the_work_of_each_program() {
        let log = Log::parse(
            "5.880 created 3000\n\
             33.373 hog pass 0 touched 81920 pages in 22.110 s\n\
             51.284 hog pass 1 touched 17342 pages in 17.906 s\n\
             15.046 hog pass 0 touched 40960 pages in 3.788 s\n\
             7.234 written 33 MB max write(64K) 0.0651 s\n\
             46.412 wrote disk:w1 162 MB in 40.178 s\n\
             nr_hugepages wanted 60 got 33 from 7.16 to 8.34\n",
        );
        let passes: Vec<usize> = log.hogs.iter().map(Vec::len).collect();
        assert_eq!(passes, [2, 1]);
        assert_eq!(log.hogs[0][1].pages, 17_342);
        assert_eq!(log.hogs[0][0].began_ms(), 11_263);
        assert_eq!(log.writers[0].mib, 162);
        assert_eq!(log.began_ms(), Some(6234));
        assert_eq!(log.span_s(), Some([6.234, 51.284]));
        assert_eq!(log.longest_writes_us, [65_100]);
        assert_eq!(log.created, Some(3000));
        assert_eq!(Log::parse("").began_ms(), None);
    }
}
