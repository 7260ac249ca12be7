// Where in a JSON text a field stands, and where one that is no JSON goes wrong. Browsers say neither
// in words that can be relied on: jsonc-parser does.

import { bisectRight } from "d3-array";
import { type ParseErrorCode, visit } from "jsonc-parser";

/** A place in a text, both from 1. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** A text that was read: where each field's value begins, by its path; or what is wrong and where. */
export type Scanned =
  | { readonly ok: true; readonly places: ReadonlyMap<string, number> }
  | { readonly ok: false; readonly at: number; readonly reason: string };

/** Deepest nesting; deeper texts are refused everywhere on the page. */
const MAX_DEPTH = 32;
/** Most values of a text: more than the longest file of ours has. */
const MOST_VALUES = 1_000_000;
const TOO_MANY = "It has more values than any file of mmscope.";

class SyntaxFailure extends Error {
  readonly at: number;
  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** A list or an object that is not closed yet. */
interface Open {
  readonly path: string;
  readonly end: "brace" | "bracket";
  readonly keys: Set<string>;
  /** The field whose value comes next; in a list, its number. */
  key: string;
  next: number;
}

/** Reads a text by JSON's own grammar. */
export function scanJson(text: string): Scanned {
  const places = new Map<string, number>();
  const within: Open[] = [];
  const begin = (offset: number): string => {
    if (within.length > MAX_DEPTH) throw new SyntaxFailure(offset, "It is nested too deep.");
    if (places.size === MOST_VALUES) throw new SyntaxFailure(offset, TOO_MANY);
    const path = pathIn(within.at(-1));
    places.set(path, offset);
    return path;
  };
  const nested = (end: Open["end"]) => (offset: number) => {
    within.push({ path: begin(offset), end, keys: new Set(), key: "", next: 0 });
  };
  const ends = () => void within.pop();
  try {
    visit(
      text,
      {
        onLiteralValue: (_, offset) => void begin(offset),
        onObjectBegin: nested("brace"),
        onObjectEnd: ends,
        onArrayBegin: nested("bracket"),
        onArrayEnd: ends,
        onObjectProperty: (key, offset) => named(within.at(-1), key, offset),
        onError: (error, offset) => {
          throw unexpected(text, offset, WANTED[error] ?? closing(within.at(-1)));
        },
      },
      { disallowComments: true },
    );
    return { ok: true, places };
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error;
    return { ok: false, at: error.at, reason: error.message };
  }
}

/** The path of the value that comes next: "machine.nodes[0]". */
function pathIn(open: Open | undefined): string {
  if (!open) return "";
  if (open.end === "bracket") {
    open.next += 1;
    return `${open.path}[${open.next - 1}]`;
  }
  return open.path === "" ? open.key : `${open.path}.${open.key}`;
}

function named(open: Open | undefined, key: string, offset: number) {
  if (!open) return;
  if (open.keys.has(key)) throw new SyntaxFailure(offset, `"${cut(key)}" is there twice.`);
  open.keys.add(key);
  open.key = key;
}

/** A person's text, no longer than can be read. */
const cut = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

const closing = (open: Open | undefined) =>
  open ? `a comma or a closing ${open.end}` : "JSON as it is written";

/** What was wanted where the text goes wrong, by jsonc-parser's errors; else the end of what is open. */
const WANTED: Partial<Record<ParseErrorCode, string>> = {
  [1 satisfies ParseErrorCode.InvalidSymbol]: "a value",
  [3 satisfies ParseErrorCode.PropertyNameExpected]: "text in double quotes",
  [4 satisfies ParseErrorCode.ValueExpected]: "a value",
  [5 satisfies ParseErrorCode.ColonExpected]: "a colon",
  [7 satisfies ParseErrorCode.CloseBraceExpected]: "a comma or a closing brace",
  [8 satisfies ParseErrorCode.CloseBracketExpected]: "a comma or a closing bracket",
  [9 satisfies ParseErrorCode.EndOfFileExpected]: "the end",
  [12 satisfies ParseErrorCode.UnexpectedEndOfString]: "a text that ends with double quotes",
  [14 satisfies ParseErrorCode.InvalidUnicode]: "four digits after \\u in this text",
  [15 satisfies ParseErrorCode.InvalidEscapeCharacter]: "a known letter after each \\ of this text",
  [16 satisfies ParseErrorCode.InvalidCharacter]: "no line break or tab in this text",
};

function unexpected(text: string, at: number, wanted: string): SyntaxFailure {
  const found = text[at];
  const there = found === undefined ? "the text ends" : `there is ${JSON.stringify(found)}`;
  return new SyntaxFailure(at, `Expected ${wanted}, but ${there}.`);
}

/** Finds lines and columns of offsets in one text, whose lines are counted once. */
function placesIn(text: string): (offset: number) => LineColumn {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = bisectRight(starts, offset);
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
  };
}

/** Line and column of one offset. */
export const placeAt = (text: string, offset: number): LineColumn => placesIn(text)(offset);

/** Finds where fields stand in a text: each, or the nearest field around it that is written. */
export function fieldsIn(text: string): (path: string) => LineColumn | null {
  const scanned = scanJson(text);
  if (!scanned.ok) return () => null;
  const placeOf = placesIn(text);
  return (path) => {
    for (let rest = path; ; ) {
      const at = scanned.places.get(rest);
      if (at !== undefined) return placeOf(at);
      if (rest === "") return null;
      rest = rest.slice(0, Math.max(0, rest.lastIndexOf("."), rest.lastIndexOf("[")));
    }
  };
}
