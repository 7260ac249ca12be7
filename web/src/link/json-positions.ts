// Finds the location of a field in a JSON text, and the location of a syntax error. Browsers do not
// report these reliably; jsonc-parser does.

import { bisectRight } from "d3-array";
import { type ParseErrorCode, visit } from "jsonc-parser";
import { count } from "../engine/format";
import { shortened } from "../engine/shortened";

/** A location in a text; line and column count from 1. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** A value in a text: its start, and the values inside it. */
interface JsonValue {
  readonly offset: number;
  /** An object's values by key. */
  readonly fields: Map<string, JsonValue>;
  /** A list's values. */
  readonly items: JsonValue[];
}

/** A scanned text: the location of its value, or the error and its location. */
export type Scanned =
  | { readonly ok: true; readonly place: JsonValue }
  | { readonly ok: false; readonly at: number; readonly reason: string };

/**
 * The maximum nesting depth; deeper texts are rejected, because they would exhaust the stack of
 * recursive code.
 */
const MAX_DEPTH = 32;
/** The maximum number of values in a text: more than the longest file of mmscope has. */
const MOST_VALUES = 1_000_000;
const TOO_MANY = "It has too many values, more than any file of mmscope.";
/** The maximum length of a key; the longest meaningful key has a fifth of that. */
const MAX_KEY = 256;

class SyntaxFailure extends Error {
  readonly at: number;
  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** A list or an object that is not closed yet. */
interface Open {
  readonly place: JsonValue;
  readonly end: "brace" | "bracket";
  /** In an object: the key whose value comes next. */
  key: string;
}

// Most values contain no other values: they share these collections, which stay empty.
const NO_FIELDS = new Map<string, JsonValue>();
const NO_ITEMS: JsonValue[] = [];

/** Scans a text by JSON's own grammar. Time and memory grow only with the length of the text. */
export function scanJson(text: string): Scanned {
  const within: Open[] = [];
  let root: JsonValue | null = null;
  let values = 0;
  const add = (place: JsonValue) => {
    const open = within.at(-1);
    if (within.length > MAX_DEPTH)
      throw new SyntaxFailure(place.offset, "It is nested too deeply.");
    values += 1;
    if (values > MOST_VALUES) throw new SyntaxFailure(place.offset, TOO_MANY);
    if (!open) root = place;
    else if (open.end === "bracket") open.place.items.push(place);
    else open.place.fields.set(open.key, place);
  };
  const begin = (end: Open["end"]) => (offset: number) => {
    const isList = end === "bracket";
    const fields = isList ? NO_FIELDS : new Map<string, JsonValue>();
    const place = { offset, fields, items: isList ? [] : NO_ITEMS };
    add(place);
    within.push({ place, end, key: "" });
  };
  const ends = () => void within.pop();
  try {
    visit(
      text,
      {
        onLiteralValue: (_, offset) => add({ offset, fields: NO_FIELDS, items: NO_ITEMS }),
        onObjectBegin: begin("brace"),
        onObjectEnd: ends,
        onArrayBegin: begin("bracket"),
        onArrayEnd: ends,
        onObjectProperty: (key, offset) => named(within.at(-1), key, offset),
        onError: (error, offset) => {
          throw unexpected(text, offset, WANTED[error] ?? closing(within.at(-1)));
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error;
    return { ok: false, at: error.at, reason: error.message };
  }
  if (!root) throw new Error("a text without a value is a fault of its grammar");
  return { ok: true, place: root };
}

function named(open: Open | undefined, key: string, offset: number) {
  if (!open) return;
  if (key.length > MAX_KEY) {
    const length = count(key.length);
    const reason = `This field name has ${length} characters; the limit is ${MAX_KEY}.`;
    throw new SyntaxFailure(offset, reason);
  }
  if (open.place.fields.has(key)) {
    throw new SyntaxFailure(offset, `"${shortened(key)}" appears twice.`);
  }
  open.key = key;
}

const closing = (open: Open | undefined) =>
  open ? `a comma or a closing ${open.end}` : "valid JSON";

/** What the grammar expects at an error, by jsonc-parser's error; otherwise the missing end. */
const WANTED: Partial<Record<ParseErrorCode, string>> = {
  [1 satisfies ParseErrorCode.InvalidSymbol]: "a value",
  [3 satisfies ParseErrorCode.PropertyNameExpected]: "text in double quotes",
  [4 satisfies ParseErrorCode.ValueExpected]: "a value",
  [5 satisfies ParseErrorCode.ColonExpected]: "a colon",
  [7 satisfies ParseErrorCode.CloseBraceExpected]: "a comma or a closing brace",
  [8 satisfies ParseErrorCode.CloseBracketExpected]: "a comma or a closing bracket",
  [9 satisfies ParseErrorCode.EndOfFileExpected]: "the end",
  [12 satisfies ParseErrorCode.UnexpectedEndOfString]: "closing double quotes for this text",
  [14 satisfies ParseErrorCode.InvalidUnicode]: "four hexadecimal digits after \\u in this text",
  [15 satisfies ParseErrorCode.InvalidEscapeCharacter]:
    "a valid escape letter after each \\ of this text",
  [16 satisfies ParseErrorCode.InvalidCharacter]: "no line break or tab in this text",
};

function unexpected(text: string, at: number, expected: string): SyntaxFailure {
  const found = text[at];
  const there = found === undefined ? "the text ends" : `there is ${JSON.stringify(found)}`;
  return new SyntaxFailure(at, `Expected ${expected}, but ${there}.`);
}

/** Whether a text is nested too deeply to be read. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (isString) {
      if (character === "\\") i += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Converts offsets in one text to lines and columns; counts the lines only once. */
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

/** Finds the location of a field in a text, or of the nearest enclosing field that exists. */
export function fieldsIn(text: string): (path: string) => LineColumn | null {
  const scanned = scanJson(text);
  if (!scanned.ok) return () => null;
  const placeOf = placesIn(text);
  return (path) => placeOf(nearestTo(scanned.place, path).offset);
}

/**
 * The location of a path ("machine.nodes[0]"), or of its longest existing prefix. Keys may contain
 * dots and brackets, so each possible next name is looked up; no value is visited twice.
 */
function nearestTo(root: JsonValue, path: string): JsonValue {
  let nearest = { place: root, end: 0 };
  const visitPlace = (place: JsonValue, end: number) => {
    if (end > nearest.end) nearest = { place, end };
    for (const [name, next] of namesAt(path, end)) {
      const inside = typeof name === "number" ? place.items[name] : place.fields.get(name);
      if (inside && nearest.end < path.length) visitPlace(inside, next);
    }
  };
  visitPlace(root, 0);
  return nearest.place;
}

/** The names with which a path may continue at an offset: an index or keys; and where each ends. */
function namesAt(path: string, at: number): readonly (readonly [string | number, number])[] {
  const index = /\[(\d{1,7})\]/y;
  index.lastIndex = at;
  const [bracketed, digits] = index.exec(path) ?? [];
  const begin = path[at] === "." ? at + 1 : at;
  const names: [string | number, number][] = [];
  if (bracketed) names.push([Number(digits), at + bracketed.length]);
  const last = Math.min(path.length, begin + MAX_KEY);
  for (let end = begin + 1; end <= last; end += 1) {
    const isEnd = end === path.length || path[end] === "." || path[end] === "[";
    if (isEnd) names.push([path.slice(begin, end), end]);
  }
  return names;
}
