// Counts something along a run, so that two runs can be aligned by it: the events of a kind, or the
// progress of a task's program. The run is read slice by slice, only as far as it is needed.

import type { LogAct } from "../../engine/log";
import type { AskLog } from "../../engine/log-turns";

/** The quantity to count. */
export type Counted =
  | { readonly kind: "event"; readonly record: number }
  | { readonly kind: "program"; readonly task: number };

/** The number of columns of a row that has no length of its own. */
const PROGRAM_COLUMNS = 2;

/** Counts along one run. */
export class Axis {
  readonly #ask: AskLog;
  readonly #counted: Counted;
  /** Steps at which the count grew, and the count from each of them on. */
  readonly #steps: number[] = [];
  readonly #counts: number[] = [];
  /** The last step that was read. */
  #at = -1;
  #isDone = false;
  #isClosed = false;
  #reading: Promise<void> | null = null;

  constructor(ask: AskLog, counted: Counted) {
    this.#ask = ask;
    this.#counted = counted;
  }

  /** The count after a step. */
  async countAt(step: number): Promise<number> {
    while (this.#at < step && !this.#isDone) await this.#more();
    return this.#counts[this.#before(step)] ?? 0;
  }

  /** The first step after which the count is at least this; null if the run ends before. */
  async stepOf(count: number): Promise<number | null> {
    if (count <= 0) return 0;
    while ((this.#counts.at(-1) ?? 0) < count && !this.#isDone) await this.#more();
    const index = this.#counts.findIndex((each) => each >= count);
    return index < 0 ? null : (this.#steps[index] ?? null);
  }

  /** Frees the memory of the reader. */
  close() {
    this.#isClosed = true;
    this.#ask({ kind: "end" }).catch(() => {});
  }

  /** The index of the last entry that is not after a step; -1 before the first. */
  #before(step: number): number {
    let [low, high] = [0, this.#steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#steps[middle] ?? 0) <= step) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Reads one more slice; concurrent callers wait for the same slice. */
  #more(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read() {
    if (this.#isClosed) throw closed();
    const { at, isDone, isWhole, rows } = await this.#ask(
      this.#at < 0 ? beginOf(this.#counted) : { kind: "more" },
    );
    if (this.#isClosed) throw closed();
    if (!isWhole) throw new Error("There is not enough memory to read this run again.");
    let count = this.#counts.at(-1) ?? 0;
    for (const [step, by] of grown(this.#counted, rows)) {
      count += by;
      this.#steps.push(step);
      this.#counts.push(count);
    }
    this.#at = at;
    this.#isDone = isDone;
  }
}

/** Ends the calls of an axis that was closed; no caller waits for their results. */
const closed = () => new DOMException("", "AbortError");

/** A number larger than any step. */
const NO_END = Number.MAX_SAFE_INTEGER;

function beginOf(counted: Counted): LogAct {
  if (counted.kind === "program")
    return { kind: "program", from: 0, to: NO_END, task: counted.task };
  const filter = { kinds: [counted.record], task: null, zone: null, pages: null };
  return { kind: "begin", from: 0, to: NO_END, filter };
}

/** Steps of an answer, and by how much the count grows at each. */
function* grown({ kind }: Counted, rows: Float64Array): Generator<readonly [number, number]> {
  if (kind === "program") {
    for (let at = 0; at + 1 < rows.length; at += PROGRAM_COLUMNS)
      yield [rows[at] ?? 0, rows[at + 1] ?? 0];
    return;
  }
  // A record begins with its length and its step.
  for (let at = 0; at < rows.length; at += rows[at] || 1) yield [rows[at + 1] ?? 0, 1];
}
