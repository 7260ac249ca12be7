// From the text of an experiment to what the engine opens. What a page opens by itself was packed
// when the engine was built; anything else is read by a module of its own, loaded when it is wanted.

import type { Opened, Refusal } from "./types";

/** An experiment as the engine opens it, with what is said when it is open. */
export interface Checked {
  readonly kind: "checked";
  readonly plan: Uint8Array;
  readonly opened: Opened;
}

/** What reading a text came to. */
export type Reading =
  | Checked
  | {
      readonly kind: "refused";
      readonly refusals: readonly Refusal[];
      /** The nearest experiment that can run, as JSON. */
      readonly nearest: string | null;
    };

/** An experiment as the build packed it. */
export interface Packed {
  readonly opened: Opened;
  /** In hexadecimal digits. */
  readonly plan: string;
}

/** The module that reads experiments. */
export type Reader = Pick<typeof import("./pkg/mmscope_open"), "read_experiment">;

/** Reads a text with the module that does. */
export function readWith({ read_experiment }: Reader, json: string): Reading {
  const reading = read_experiment(json);
  const { plan, opened, refused } = reading;
  reading.free();
  if (plan && opened) return { kind: "checked", plan, opened: JSON.parse(opened) };
  return { kind: "refused", ...JSON.parse(refused ?? "{}") };
}

/** What is packed, by text. */
export type PackedByText = ReadonlyMap<string, Packed>;

/** Puts what was packed in order. */
export const byText = (packed: readonly Packed[]): PackedByText =>
  new Map(packed.map((each) => [inOrder(JSON.parse(each.opened.canonical)), each]));

/** Finds a text among what is packed, however its fields are ordered and spaced. */
export function findPacked(packed: PackedByText, json: string): Checked | null {
  let found: Packed | undefined;
  try {
    found = packed.get(inOrder(JSON.parse(json)));
  } catch {
    return null; // No JSON: the module that reads says where.
  }
  if (!found) return null;
  const plan = Uint8Array.from(found.plan.match(/../g) ?? [], (digits) =>
    Number.parseInt(digits, 16),
  );
  return { kind: "checked", plan, opened: found.opened };
}

/** The same text for the same value. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** Reads what is packed at once, and all else when the module for it is there. */
export class Readings {
  readonly #packed: PackedByText;
  readonly #load: () => Promise<Reader>;
  #loading: Promise<Reader> | null = null;
  #reader: Reader | null = null;

  constructor(packed: PackedByText, load: () => Promise<Reader>) {
    this.#packed = packed;
    this.#load = load;
  }

  /** Reads a text. Fails when the module does not load; the next text tries again. */
  read(json: string): Reading | Promise<Reading> {
    const packed = findPacked(this.#packed, json);
    if (packed) return packed;
    if (this.#reader) return readWith(this.#reader, json);
    return this.#reading().then((reader) => readWith(reader, json));
  }

  /** Loads the module before it is wanted. */
  prepare(): void {
    this.#reading().catch(() => {}); // Whoever wants it will try again.
  }

  #reading(): Promise<Reader> {
    this.#loading ??= this.#load().then(
      (reader) => {
        this.#reader = reader;
        return reader;
      },
      (error) => {
        this.#loading = null;
        throw error;
      },
    );
    return this.#loading;
  }
}
