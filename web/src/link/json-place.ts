// Where in a JSON text a field stands, and where one that is no JSON goes wrong. Browsers say neither
// in words that can be relied on.

/** A place in a text, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A text that was read: where each field's value begins, by its path; or what is wrong and where. */
export type Scanned =
  | { readonly ok: true; readonly places: ReadonlyMap<string, number> }
  | { readonly ok: false; readonly at: number; readonly reason: string };

/** Deepest nesting; deeper texts are refused everywhere on the page. */
const MAX_DEPTH = 32;

class Fault extends Error {
  readonly at: number;
  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** Reads a text by JSON's own grammar. */
export function scanJson(text: string): Scanned {
  const places = new Map<string, number>();
  try {
    const scanner = new Scanner(text, places);
    scanner.value("", 0);
    scanner.end();
    return { ok: true, places };
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return { ok: false, at: fault.at, reason: fault.message };
  }
}

/** Line and column of an offset. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Where a refused field stands, or the nearest field around it that is written. */
export function placeOf(text: string, path: string): Place | null {
  const scanned = scanJson(text);
  return scanned.ok ? placeIn(text, scanned.places, path) : null;
}

/** The same in a text that was read already. */
export function placeIn(
  text: string,
  places: ReadonlyMap<string, number>,
  path: string,
): Place | null {
  for (let rest = path; ; ) {
    const at = places.get(rest);
    if (at !== undefined) return placeAt(text, at);
    if (rest === "") return null;
    rest = rest.slice(0, Math.max(0, rest.lastIndexOf("."), rest.lastIndexOf("[")));
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside text
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const BLANK = /[ \t\r\n]*/y;

class Scanner {
  readonly #text: string;
  readonly #places: Map<string, number>;
  #at = 0;

  constructor(text: string, places: Map<string, number>) {
    this.#text = text;
    this.#places = places;
  }

  value(path: string, depth: number): void {
    this.#take(BLANK);
    if (depth > MAX_DEPTH) throw new Fault(this.#at, "It is nested too deep.");
    this.#places.set(path, this.#at);
    const next = this.#text[this.#at];
    if (next === "{") this.#object(path, depth);
    else if (next === "[") this.#array(path, depth);
    else if (next === '"') this.#string();
    else if (this.#take(NUMBER) === null && this.#take(WORD) === null) {
      throw this.#unexpected("a value");
    }
  }

  end(): void {
    this.#take(BLANK);
    if (this.#at < this.#text.length) throw this.#unexpected("the end");
  }

  #object(path: string, depth: number): void {
    this.#at += 1;
    if (this.#has("}")) return;
    do {
      this.#take(BLANK);
      const begins = this.#at;
      const key = JSON.parse(this.#string()) as string;
      const inside = path === "" ? key : `${path}.${key}`;
      if (this.#places.has(inside)) throw new Fault(begins, `"${key}" is there twice.`);
      if (!this.#has(":")) throw this.#unexpected("a colon");
      this.value(inside, depth + 1);
    } while (this.#has(","));
    if (!this.#has("}")) throw this.#unexpected("a comma or a closing brace");
  }

  #array(path: string, depth: number): void {
    this.#at += 1;
    if (this.#has("]")) return;
    let i = 0;
    do {
      this.value(`${path}[${i}]`, depth + 1);
      i += 1;
    } while (this.#has(","));
    if (!this.#has("]")) throw this.#unexpected("a comma or a closing bracket");
  }

  #string(): string {
    const text = this.#take(STRING);
    if (text === null) throw this.#unexpected("text in double quotes");
    return text;
  }

  /** Is this character next? Then it is passed. */
  #has(character: string): boolean {
    this.#take(BLANK);
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #unexpected(wanted: string): Fault {
    const found = this.#text[this.#at];
    const there = found === undefined ? "the text ends" : `there is ${JSON.stringify(found)}`;
    return new Fault(this.#at, `Expected ${wanted}, but ${there}.`);
  }
}
