//! A room must not call what it claims to leave out. The test reads the rooms, their notes and
//! their calls from the source. A sentence about omissions must not name a function that the room
//! calls directly or through one call, nor that function's mechanism. It may do so if it names the
//! kernels it is about ("from 3.0 on"), because a line of a room can belong to some kernels only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Folders and files of `src` that contain a mechanism, and the word for the mechanism in a
/// sentence.
const MECHANISMS: [(&str, &str); 5] = [
    ("compaction", "compact"),
    ("migrate.rs", "migrat"),
    ("oom.rs", "oom"),
    ("vmscan/zone_reclaim.rs", "zone_reclaim"),
    ("vmscan/throttle.rs", "throttl"),
];

/// Words that mark a sentence as one about omissions.
const NEGATIONS: [&str; 9] = [
    "left out",
    "not part",
    "not yet",
    "not modelled",
    "nothing is",
    "never",
    "is not",
    "are not",
    "no ",
];

#[derive(Debug, Clone, Default)]
struct Room {
    /// Name of the function in the kernel.
    name: String,
    /// Source file of the room, below `src`.
    file: String,
    /// What differs from the kernel, as the page displays it.
    note: String,
    /// The "Left out" part of the header of the source file.
    header: String,
    /// Types of the rooms whose frames the room's `impl` makes.
    calls: BTreeSet<String>,
}

fn sources(folder: &Path, below: &str, out: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .collect();
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let name = entry.file_name().into_string().expect("UTF-8");
        let path = format!("{below}{name}");
        if entry.path().is_dir() {
            sources(&entry.path(), &format!("{path}/"), out);
        } else if name.ends_with(".rs") {
            let text = std::fs::read_to_string(entry.path()).expect("a file");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            out.push((path, code.to_string()));
        }
    }
}

/// The text between two markers, and the text after them.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close)
}

/// The "Left out" paragraph of a file's header.
fn header(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let mut lines = lines.skip_while(|line| !line.contains("Left out:"));
    let first = lines.next().unwrap_or_default();
    let mut paragraph = first
        .split_once("Left out:")
        .map_or("", |(_, rest)| rest)
        .to_string();
    for line in lines {
        let is_next = ["Visible difference:", "Invariants:", "Modelled:"]
            .iter()
            .any(|l| line.contains(l));
        if is_next || line.trim().is_empty() {
            break;
        }
        paragraph += line;
    }
    paragraph
        .split("Invariants:")
        .next()
        .unwrap_or_default()
        .trim()
        .to_string()
}

/// All rooms by the name of their type, without their calls.
fn declared(sources: &[(String, String)]) -> BTreeMap<String, Room> {
    let mut rooms = BTreeMap::new();
    for (file, text) in sources {
        let mut rest = text.as_str();
        while let Some((_, after)) = rest.split_once("\nroom! {\n") {
            rest = after;
            let (ty, after) = after.split_once(':').expect("a type");
            let (name, after) = between(after, "\"", "\"").expect("a name");
            // The fidelity follows the kernel file and the line with its release.
            let (_, after) = after.split_once(";\n").expect("a line of its own");
            // The kernels that have the function may follow the note.
            let (note, _) = between(after, "\"", "\"").expect("a note");
            let room = Room {
                name: name.to_string(),
                file: file.clone(),
                note: note.to_string(),
                header: header(text),
                calls: BTreeSet::new(),
            };
            rooms.insert(ty.trim().to_string(), room);
        }
    }
    rooms
}

/// The bodies of a type's `impl` blocks.
fn bodies<'a>(text: &'a str, ty: &str) -> Vec<&'a str> {
    let open = format!("\nimpl {ty} {{\n");
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((body, after)) = between(rest, &open, "\n}\n") {
        found.push(body);
        rest = after;
    }
    found
}

fn rooms() -> BTreeMap<String, Room> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut texts = Vec::new();
    sources(&folder, "", &mut texts);
    let mut rooms = declared(&texts);
    let types: Vec<String> = rooms.keys().cloned().collect();
    for (_, text) in &texts {
        for ty in &types {
            for body in bodies(text, ty) {
                let called = types.iter().filter(|callee| makes(body, callee, ty));
                let called: Vec<String> = called.cloned().collect();
                rooms.get_mut(ty).expect("a room").calls.extend(called);
            }
        }
    }
    rooms
}

/// Does a body make a frame of another room, by `Callee::call(` or similar?
fn makes(body: &str, callee: &str, own: &str) -> bool {
    if callee == own {
        return false;
    }
    let mut rest = body;
    while let Some((before, after)) = rest.split_once(&format!("{callee}::")) {
        let starts = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_call = after.starts_with(|c: char| c.is_ascii_lowercase());
        if starts && is_call {
            return true;
        }
        rest = after;
    }
    false
}

/// The parts of a text that are judged one by one.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split(". ")
        .flat_map(|sentence| sentence.split(';'))
        .map(str::trim)
}

/// Does a clause name the kernels it is about, such as "3.0", "6.12", "4.x"?
fn names_kernels(clause: &str) -> bool {
    clause
        .as_bytes()
        .windows(3)
        .any(|w| w[0].is_ascii_digit() && w[1] == b'.' && (w[2].is_ascii_digit() || w[2] == b'x'))
}

fn names(clause: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = clause;
    while let Some((before, after)) = rest.split_once(word) {
        if !before.ends_with(is_part) && !after.starts_with(is_part) {
            return true;
        }
        rest = after;
    }
    false
}

/// The rooms that a room calls, and the rooms that these call.
fn reached<'a>(rooms: &'a BTreeMap<String, Room>, room: &'a Room) -> Vec<&'a Room> {
    let direct: Vec<&Room> = room.calls.iter().map(|ty| &rooms[ty]).collect();
    let second = direct
        .iter()
        .flat_map(|room| &room.calls)
        .map(|ty| &rooms[ty]);
    let second: Vec<&Room> = second.collect();
    direct
        .into_iter()
        .chain(second)
        .filter(|r| r.name != room.name)
        .collect()
}

/// The clauses of a room that claim to leave out something the room reaches.
fn false_clauses(rooms: &BTreeMap<String, Room>, room: &Room) -> Vec<String> {
    let reached = reached(rooms, room);
    let mut found = Vec::new();
    let is_negative = |clause: &str| {
        let lower = format!("{} ", clause.to_lowercase());
        NEGATIONS.iter().any(|negation| lower.contains(negation))
    };
    let notes = clauses(&room.note).filter(|clause| is_negative(clause));
    for clause in clauses(&room.header).chain(notes) {
        if names_kernels(clause) {
            continue;
        }
        let lower = clause.to_lowercase();
        for callee in &reached {
            let mechanisms = MECHANISMS.iter().filter(|(place, _)| {
                callee.file.starts_with(place) && !room.file.starts_with(place)
            });
            let word = mechanisms.map(|(_, word)| *word).find(|word| {
                // kcompactd is a separate thread.
                lower.replace("kcompactd", "").contains(word)
            });
            let name = names(clause, &callee.name).then_some(callee.name.as_str());
            if let Some(word) = name.or(word) {
                found.push(format!(
                    "{}: \"{clause}\" names {word}, which the room reaches",
                    room.name
                ));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn the_parser_finds_every_room_and_its_calls() {
    let rooms = rooms();
    let known: BTreeSet<&str> = mm::frames::NAMES.iter().copied().collect();
    let read: BTreeSet<&str> = rooms.values().map(|room| room.name.as_str()).collect();
    assert_eq!(read, known);
    for function in mm::frames::FUNCTIONS {
        let room = rooms.values().find(|room| room.name == function.name);
        assert_eq!(room.expect("a room").note, function.note);
    }
    let calls = |ty: &str| {
        rooms[ty]
            .calls
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
    };
    assert!(calls("Slowpath").contains(&"DirectCompact"));
    assert!(calls("Rmqueue").contains(&"RmqueueSmallest"));
    assert!(calls("BalanceZones").contains(&"CompactZone"));
    assert!(calls("RmqueueSmallest").is_empty());
}

#[test]
fn no_room_calls_a_function_that_its_note_lists_as_left_out() {
    let rooms = rooms();
    let found: Vec<String> = rooms
        .values()
        .flat_map(|room| false_clauses(&rooms, room))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Old sentences that became false when compaction was added.
#[test]
fn the_test_detects_notes_that_became_false() {
    let rooms = rooms();
    for (ty, note, header) in [
        ("Slowpath", "Nothing is compacted between the attempts.", ""),
        ("Slowpath", "", "compaction, giving HighAtomic blocks back."),
        (
            "Kswapd",
            "Compaction after a run is not part of the engine yet.",
            "",
        ),
        ("Rmqueue", "rmqueue_smallest is left out.", ""),
    ] {
        let room = Room {
            note: note.to_string(),
            header: header.to_string(),
            ..rooms[ty].clone()
        };
        assert_eq!(
            false_clauses(&rooms, &room).len(),
            1,
            "{ty}: {note}{header}"
        );
    }
}
