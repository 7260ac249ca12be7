//! The types and tables of records for the page, in TypeScript.

use std::fmt::Write as _;

use mm::record::{HEAD, NOTHING, OUTCOMES};
use mm::view::{Catalog, Field, FieldKind, RecordKind, RecordSort};

/// The TypeScript module of the records of a catalog.
pub fn records(catalog: &Catalog) -> String {
    let mut out = String::from(
        "// The engine's records, as it passes them to the page. Generated with the engine.\n\n",
    );
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line("/** Numbers of a row before its fields. */".into());
    line(format!("export const ROW_HEAD = {HEAD};"));
    line("/** In the place of a zone or function that a row lacks, or of a page that a field lacks. */".into());
    line(format!("export const NOTHING = {NOTHING};"));
    line("/** In a filter: no event. */".into());
    line(format!("export const NO_KIND = {};", u16::MAX));
    line("/** The outcomes for a page of a batch, by number. */".into());
    line(format!(
        "export const OUTCOMES = {} as const;",
        list(OUTCOMES)
    ));
    line("/** The outcome for a page of a batch. */".into());
    line("export type Outcome = (typeof OUTCOMES)[number];".into());
    line("export type { FieldKind } from \"./mmscope\";".into());
    line(String::new());
    for record in &catalog.records {
        line(interface(catalog, record));
    }
    line("/** The fields of each kind of record, by its name. */".into());
    line("export interface Records {".into());
    for record in &catalog.records {
        line(format!(
            "  {}: {};",
            record.name,
            type_name(catalog, record)
        ));
    }
    line("}".into());
    line("/** The name of a kind of record. */".into());
    line("export type RecordName = keyof Records;".into());
    line("/** The kinds of records, by number. */".into());
    line("export const RECORDS = [".into());
    for record in &catalog.records {
        line(format!("  {},", table(record)));
    }
    line("] as const;".into());
    out
}

fn interface(catalog: &Catalog, record: &RecordKind) -> String {
    let about = record.template.as_deref().unwrap_or(&record.about);
    let mut out = format!("/** {} */\n", about.replace("*/", "* /"));
    let name = type_name(catalog, record);
    if record.fields.is_empty() {
        let _ = writeln!(out, "export type {name} = Readonly<Record<never, never>>;");
        return out;
    }
    let _ = writeln!(out, "export interface {name} {{");
    for Field { name, kind } in &record.fields {
        let _ = writeln!(out, "  readonly {name}: {};", typed(*kind));
    }
    out.push_str("}\n");
    out
}

/// Names and kinds of the fields, for the decoder.
fn table(record: &RecordKind) -> String {
    let kind = match record.kind {
        RecordSort::Event => "event",
        RecordSort::Decision => "decision",
    };
    let fields = record.fields.iter();
    let fields: Vec<String> = fields
        .map(|Field { name, kind }| format!("[\"{name}\", \"{}\"]", word(*kind)))
        .collect();
    let (name, fields) = (&record.name, fields.join(", "));
    format!("{{ name: \"{name}\", kind: \"{kind}\", fields: [{fields}] }}")
}

/// The type of a field after reading.
fn typed(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Page | FieldKind::ZoneType => "number | null",
        FieldKind::Flag => "boolean",
        FieldKind::Outcomes => "readonly { readonly page: number; readonly outcome: Outcome }[]",
        _ => "number",
    }
}

/// The name of a kind in the catalog.
fn word(kind: FieldKind) -> String {
    mm::read::written(&kind).trim_matches('"').to_string()
}

fn list<const N: usize>(words: [&str; N]) -> String {
    let words = words.map(|word| format!("\"{word}\""));
    format!("[{}]", words.join(", "))
}

/// "mm_page_alloc" becomes MmPageAlloc. An event with the name of a decision gets the suffix "Event".
fn type_name(catalog: &Catalog, record: &RecordKind) -> String {
    let name = camel(&record.name);
    let is_taken = |other: &RecordKind| other.name != record.name && camel(&other.name) == name;
    match record.kind {
        RecordSort::Event if catalog.records.iter().any(is_taken) => name + "Event",
        _ => name,
    }
}

fn camel(name: &str) -> String {
    let parts = name.split('_').map(|part| {
        let (first, rest) = part.split_at(1);
        first.to_uppercase() + rest
    });
    parts.collect()
}
