//! The kernel's tracepoints: switched on before a run, read after it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::control::{read, write};
use super::report::Messages;

const FOLDER: &str = "/sys/kernel/tracing";
/// The maximum number of lines of the trace without frequent events.
const KEY_LINES: usize = 20_000;
/// Events that come once for each batch of pages or more often. `trace-key.txt.gz` leaves them out.
const FREQUENT: [&str; 12] = [
    "mm_vmscan_lru_isolate",
    "mm_vmscan_lru_shrink_inactive",
    "mm_vmscan_lru_shrink_active",
    "mm_vmscan_writepage",
    "mm_vmscan_write_folio",
    "mm_compaction_isolate_migratepages",
    "mm_compaction_isolate_freepages",
    "mm_compaction_fast_isolate_freepages",
    "mm_page_alloc",
    "mm_page_free",
    "mm_page_free_batched",
    "mm_page_pcpu_drain",
];

fn file(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

/// Does this kernel have tracing?
pub fn exists() -> bool {
    Path::new(&file("tracing_on")).exists()
}

/// Prepares the trace. The buffer keeps the oldest events, so that a trace has no gaps before its end.
pub fn prepare(kib: u32, events: &[String], messages: &mut Messages) {
    if events.is_empty() {
        return;
    }
    if !exists() {
        messages.say("this kernel has no tracing: the capture has no trace");
        return;
    }
    let set = |name: &str, value: &str| write(&file(name), value);
    let first = [
        ("tracing_on", "0"),
        ("current_tracer", "nop"),
        ("trace_clock", "mono"),
        ("options/overwrite", "0"),
        ("buffer_size_kb", &kib.to_string()),
    ];
    for (name, value) in first {
        if let Err(error) = set(name, value) {
            messages.say(&format!("tracing: {name}: {error}"));
        }
    }
    for event in events {
        let name = event.replace(':', "/");
        if let Err(error) = set(&format!("events/{name}/enable"), "1") {
            messages.say(&format!("tracing: {event}: {error}"));
        }
    }
}

/// Starts or stops recording.
pub fn switch(on: bool) {
    // An error is ignored: `prepare` has already reported whether a trace exists.
    let _ = write(&file("tracing_on"), if on { "1" } else { "0" });
}

/// Switches the tracepoints off again.
pub fn end(events: &[String]) {
    for event in events {
        // A tracepoint that the kernel lacks was never on.
        let _ = write(
            &file(&format!("events/{}/enable", event.replace(':', "/"))),
            "0",
        );
    }
}

/// A trace, compressed.
#[derive(Debug, Default)]
pub struct Trace {
    /// All lines.
    pub all: Vec<u8>,
    /// The first lines without frequent events.
    pub key: Vec<u8>,
    /// Times of the first and the last event, seconds, as printed.
    pub span: Option<(String, String)>,
    /// Events that did not fit in the buffers.
    pub lost: u64,
}

/// Reads the trace.
pub fn take() -> io::Result<Trace> {
    let lines = BufReader::new(File::open(file("trace"))?);
    let mut trace = compressed(lines)?;
    let folders = std::fs::read_dir(file("per_cpu"))?;
    for cpu in folders.flatten() {
        let stats = read(&cpu.path().join("stats").display().to_string());
        trace.lost += lost_events(&stats);
    }
    Ok(trace)
}

/// Events that one CPU has lost: with `overwrite` off these are dropped ones.
fn lost_events(stats: &str) -> u64 {
    let numbers = stats.lines().filter_map(|line| {
        let (name, number) = line.split_once(':')?;
        let counts = ["overrun", "dropped events"].contains(&name.trim());
        number.trim().parse::<u64>().ok().filter(|_| counts)
    });
    numbers.sum()
}

fn compressed(mut lines: impl BufRead) -> io::Result<Trace> {
    let mut all = GzEncoder::new(Vec::new(), Compression::fast());
    let mut key = GzEncoder::new(Vec::new(), Compression::fast());
    let (mut line, mut kept, mut span) = (String::new(), 0, None);
    while lines.read_line(&mut line)? > 0 {
        let short = without_pointers(&line);
        all.write_all(short.as_bytes())?;
        let event = time_and_name(&short);
        let is_frequent = event.is_some_and(|(_, name)| FREQUENT.contains(&name));
        if kept < KEY_LINES && !is_frequent {
            key.write_all(short.as_bytes())?;
            kept += usize::from(event.is_some());
        }
        if let Some((time, _)) = event {
            let (_, last) = span.get_or_insert_with(|| (time.to_string(), String::new()));
            last.clear();
            last.push_str(time);
        }
        line.clear();
    }
    Ok(Trace {
        all: all.finish()?,
        key: key.finish()?,
        span,
        lost: 0,
    })
}

/// Time and name of an event: "... 5.024468: mm_vmscan_kswapd_wake: ...".
fn time_and_name(line: &str) -> Option<(&str, &str)> {
    if line.starts_with('#') {
        return None;
    }
    let mut words = line.split(": ");
    let (head, name) = (words.next()?, words.next()?);
    Some((head.rsplit(' ').next()?, name.trim()))
}

/// The line without the addresses of structures, which are random numbers.
fn without_pointers(line: &str) -> String {
    let is_pointer = |word: &str| {
        let value = word.strip_prefix("page=").or(word.strip_prefix("folio="));
        value.is_some_and(|value| value.len() >= 8 && !value.contains("pfn"))
    };
    if !line.split(' ').any(is_pointer) {
        return line.to_string();
    }
    let words: Vec<&str> = line.split(' ').filter(|word| !is_pointer(word)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    const TRACE: &str = "# tracer: nop\n#\n   kcompactd0-28 [000] .....     5.024468: mm_compaction_kcompactd_sleep: nid=0\n  reader/1-83 [000] d..4.  9.942338: mm_vmscan_lru_isolate: isolate_mode=0 classzone=2\n  kswapd0-37 [000] ..... 10.044620: mm_page_alloc_extfrag: page=00000000d1e0f3a1 pfn=0x400 alloc_order=1\n";

    fn text(bytes: &[u8]) -> String {
        let mut out = String::new();
        let mut gz = flate2::read::GzDecoder::new(bytes);
        gz.read_to_string(&mut out).expect("gzip");
        out
    }

    #[test]
    fn keeps_the_whole_trace_and_a_shorter_copy_and_removes_pointers() {
        let trace = compressed(TRACE.as_bytes()).expect("a trace");
        let span = trace.span.expect("events");
        assert_eq!(span, ("5.024468".to_string(), "10.044620".to_string()));
        let (all, key) = (text(&trace.all), text(&trace.key));
        assert_eq!(all.lines().count(), 5);
        assert_eq!(key.lines().count(), 4);
        assert!(!key.contains("lru_isolate"));
        assert!(
            all.ends_with("mm_page_alloc_extfrag: pfn=0x400 alloc_order=1\n"),
            "{all}"
        );
    }

    #[test]
    fn counts_lost_events() {
        let stats = "entries: 5\noverrun: 2\ncommit overrun: 0\nbytes: 9\ndropped events: 40\nread events: 0\n";
        assert_eq!(lost_events(stats), 42);
    }
}
