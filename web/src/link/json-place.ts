// Where in a JSON text a field stands, and where one that is no JSON goes wrong. Browsers say neither
// in words that can be relied on: jsonc-parser does.

import { type JSONPath, type JSONVisitor, type ParseErrorCode, visit } from "jsonc-parser";

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

class SyntaxFailure extends Error {
  readonly at: number;
  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** Reads a text by JSON's own grammar. */
export function scanJson(text: string): Scanned {
  const places = new Map<string, number>();
  const begin = (path: JSONPath, offset: number) => {
    if (path.length > MAX_DEPTH) throw new SyntaxFailure(offset, "It is nested too deep.");
    places.set(written(path), offset);
  };
  const value: JSONVisitor["onLiteralValue"] = (_, offset, _1, _2, _3, path) =>
    begin(path(), offset);
  const within: string[] = [];
  const nested =
    (end: string): NonNullable<JSONVisitor["onObjectBegin"]> =>
    (offset, _1, _2, _3, path) => {
      begin(path(), offset);
      within.push(end);
    };
  const ends = () => void within.pop();
  try {
    visit(
      text,
      {
        onLiteralValue: value,
        onObjectBegin: nested("brace"),
        onObjectEnd: ends,
        onArrayBegin: nested("bracket"),
        onArrayEnd: ends,
        onObjectProperty: (key, offset, _1, _2, _3, path) => {
          if (places.has(written([...path(), key]))) {
            throw new SyntaxFailure(offset, `"${key}" is there twice.`);
          }
        },
        onError: (error, offset) => {
          throw unexpected(text, offset, WANTED[error] ?? `a comma or a closing ${within.at(-1)}`);
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

/** "machine.nodes[0]". */
const written = (path: JSONPath) =>
  path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    return before === "" ? part : `${before}.${part}`;
  }, "");

/** What was wanted where the text goes wrong, by jsonc-parser's errors; else the end of what is open. */
const WANTED: Partial<Record<ParseErrorCode, string>> = {
  [1 satisfies ParseErrorCode.InvalidSymbol]: "a value",
  [3 satisfies ParseErrorCode.PropertyNameExpected]: "text in double quotes",
  [4 satisfies ParseErrorCode.ValueExpected]: "a value",
  [5 satisfies ParseErrorCode.ColonExpected]: "a colon",
  [7 satisfies ParseErrorCode.CloseBraceExpected]: "a comma or a closing brace",
  [8 satisfies ParseErrorCode.CloseBracketExpected]: "a comma or a closing bracket",
  [9 satisfies ParseErrorCode.EndOfFileExpected]: "the end",
};

function unexpected(text: string, at: number, wanted: string): SyntaxFailure {
  const found = text[at];
  const there = found === undefined ? "the text ends" : `there is ${JSON.stringify(found)}`;
  return new SyntaxFailure(at, `Expected ${wanted}, but ${there}.`);
}

/** Line and column of an offset. */
export function placeAt(text: string, offset: number): LineColumn {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Where a refused field stands, or the nearest field around it that is written. */
export function placeOf(text: string, path: string): LineColumn | null {
  const scanned = scanJson(text);
  return scanned.ok ? placeIn(text, scanned.places, path) : null;
}

/** The same in a text that was read already. */
export function placeIn(
  text: string,
  places: ReadonlyMap<string, number>,
  path: string,
): LineColumn | null {
  for (let rest = path; ; ) {
    const at = places.get(rest);
    if (at !== undefined) return placeAt(text, at);
    if (rest === "") return null;
    rest = rest.slice(0, Math.max(0, rest.lastIndexOf("."), rest.lastIndexOf("[")));
  }
}
