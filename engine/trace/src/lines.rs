//! Splits bytes in chunks of any size into lines.
//!
//! Modelled: nothing. Left out: nothing. Invariants: at most [`LONGEST`] bytes are buffered for an
//! incomplete line, whatever the input.

/// The longest line that is read, in bytes.
pub const LONGEST: usize = 64 * 1024;

/// A line, without its end.
pub enum Found<'a> {
    /// Its bytes.
    Whole(&'a [u8]),
    /// It is longer than [`LONGEST`].
    TooLong,
}

/// Splits chunks into lines.
#[derive(Debug, Default)]
pub struct Lines {
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
    /// The line is too long: the rest of it is skipped.
    skips: bool,
    /// Lines so far.
    pub count: u64,
}

impl Lines {
    /// Passes each whole line of a chunk, and its number from 1, to `to`.
    pub fn feed(&mut self, chunk: &[u8], mut to: impl FnMut(u64, Found<'_>)) {
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let (line, after) = rest.split_at(end);
            rest = &after[1..];
            if self.begun.is_empty() && !self.skips && line.len() <= LONGEST {
                self.count += 1;
                to(self.count, Found::Whole(without_return(line)));
                continue;
            }
            self.add(line);
            self.end(&mut to);
        }
        self.add(rest);
    }

    /// Passes the last line, which has no end; false if there is none.
    pub fn finish(&mut self, mut to: impl FnMut(u64, Found<'_>)) -> bool {
        let is_open = self.skips || !self.begun.is_empty();
        if is_open {
            self.end(&mut to);
        }
        is_open
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.skips || self.begun.len() + bytes.len() > LONGEST {
            self.skips = true;
            self.begun.clear();
        } else {
            self.begun.extend_from_slice(bytes);
        }
    }

    fn end(&mut self, to: &mut impl FnMut(u64, Found<'_>)) {
        self.count += 1;
        if std::mem::take(&mut self.skips) {
            to(self.count, Found::TooLong);
        } else {
            to(self.count, Found::Whole(without_return(&self.begun)));
        }
        self.begun.clear();
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &[u8], size: usize) -> Vec<(u64, Option<Vec<u8>>)> {
        let mut out = Vec::new();
        let mut lines = Lines::default();
        let mut take = |n, found: Found<'_>| {
            out.push((
                n,
                match found {
                    Found::Whole(line) => Some(line.to_vec()),
                    Found::TooLong => None,
                },
            ));
        };
        for chunk in text.chunks(size) {
            lines.feed(chunk, &mut take);
        }
        lines.finish(&mut take);
        out
    }

    #[test]
    fn cuts_the_same_lines_from_chunks_of_any_size() {
        let text = b"one\r\n\ntwo\nthree";
        let whole = cut(text, 100);
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[0], (1, Some(b"one".to_vec())));
        assert_eq!(whole[3], (4, Some(b"three".to_vec())));
        for size in 1..8 {
            assert_eq!(cut(text, size), whole);
        }
    }

    #[test]
    fn skips_an_overlong_line_and_reads_the_next() {
        let mut text = vec![b'x'; 3 * LONGEST];
        text.extend(b"\nshort\n");
        for size in [1000, LONGEST + 1, text.len()] {
            let lines = cut(&text, size);
            assert_eq!(lines, [(1, None), (2, Some(b"short".to_vec()))]);
        }
    }
}
