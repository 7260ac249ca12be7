// Where in a JSON text a field stands, and where one that is no JSON goes wrong. Browsers say neither
// in words that can be relied on: jsonc-parser does.

import { bisectRight } from "d3-array";
import { type ParseErrorCode, visit } from "jsonc-parser";
import { count } from "../engine/format";
import { shortened } from "../engine/shortened";

/** A place in a text, both from 1. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** A value of a text: where it begins, and the values in it. */
interface Place {
  readonly offset: number;
  /** An object's values by key. */
  readonly fields: Map<string, Place>;
  /** A list's values. */
  readonly items: Place[];
}

/** A text that was read: the place of its value; or what is wrong and where. */
export type Scanned =
  | { readonly ok: true; readonly place: Place }
  | { readonly ok: false; readonly at: number; readonly reason: string };

/** Deepest nesting; deeper texts are refused everywhere, as they exhaust the stack of who walks them. */
const MAX_DEPTH = 32;
/** Most values of a text: more than the longest file of ours has. */
const MOST_VALUES = 1_000_000;
const TOO_MANY = "It has too many values, more than any file of mmscope.";
/** Longest key, characters; the longest that means something has a fifth of that. */
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
  readonly place: Place;
  readonly end: "brace" | "bracket";
  /** The key whose value comes next, in an object. */
  key: string;
}

// Most values hold none: they share these, which nothing is put into.
const NO_FIELDS = new Map<string, Place>();
const NO_ITEMS: Place[] = [];

/** Reads a text by JSON's own grammar. Time and memory grow with the length of the text alone. */
export function scanJson(text: string): Scanned {
  const within: Open[] = [];
  let root: Place | null = null;
  let values = 0;
  const add = (place: Place) => {
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
    const fields = isList ? NO_FIELDS : new Map<string, Place>();
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

/** What was wanted where the text goes wrong, by jsonc-parser's errors; else the end of what is open. */
const WANTED: Partial<Record<ParseErrorCode, string>> = {
  [1 satisfies ParseErrorCode.InvalidSymbol]: "a value",
  [3 satisfies ParseErrorCode.PropertyNameExpected]: "text in double quotes",
  [4 satisfies ParseErrorCode.ValueExpected]: "a value",
  [5 satisfies ParseErrorCode.ColonExpected]: "a colon",
  [7 satisfies ParseErrorCode.CloseBraceExpected]: "a comma or a closing brace",
  [8 satisfies ParseErrorCode.CloseBracketExpected]: "a comma or a closing bracket",
  [9 satisfies ParseErrorCode.EndOfFileExpected]: "the end",
  [12 satisfies ParseErrorCode.UnexpectedEndOfString]: "closing double quotes for this text",
  [14 satisfies ParseErrorCode.InvalidUnicode]: "four digits after \\u in this text",
  [15 satisfies ParseErrorCode.InvalidEscapeCharacter]:
    "a valid escape letter after each \\ of this text",
  [16 satisfies ParseErrorCode.InvalidCharacter]: "no line break or tab in this text",
};

function unexpected(text: string, at: number, wanted: string): SyntaxFailure {
  const found = text[at];
  const there = found === undefined ? "the text ends" : `there is ${JSON.stringify(found)}`;
  return new SyntaxFailure(at, `Expected ${wanted}, but ${there}.`);
}

/** Is a text nested too deep to be read? */
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
  return (path) => placeOf(nearestTo(scanned.place, path).offset);
}

/**
 * The place a path leads to ("machine.nodes[0]"), or as far as it leads. A key may have dots and
 * brackets in it, so each name the rest of the path may begin with is looked up; no value is come by
 * twice.
 */
function nearestTo(root: Place, path: string): Place {
  let nearest = { place: root, end: 0 };
  const visitPlace = (place: Place, end: number) => {
    if (end > nearest.end) nearest = { place, end };
    for (const [name, next] of namesAt(path, end)) {
      const inside = typeof name === "number" ? place.items[name] : place.fields.get(name);
      if (inside && nearest.end < path.length) visitPlace(inside, next);
    }
  };
  visitPlace(root, 0);
  return nearest.place;
}

/** What a path may go on with at an offset: an index, or keys; and where each ends. */
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
