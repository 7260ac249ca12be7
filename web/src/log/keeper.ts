// Holds the events of a range that ends at the present step, and searches further back on demand.
// The engine works slice by slice, so a search can be stopped and shows its progress.

import { createStore, type StoreApi } from "zustand/vanilla";
import { heard, LastAsked } from "../engine/last-asked";
import { joined, type LogAct, type LogAnswer, type LogFilter } from "../engine/log";
import { Rows } from "../engine/record";

/** Events of the first search, and of each further one. */
export const PORTION = 2000;
/** The maximum number of events held. */
export const MOST = 50_000;
/**
 * The maximum number of steps searched for one portion, which takes some seconds on the largest
 * machine.
 */
const MOST_STEPS = 1 << 24;
/** The length of the first range; each further range is this many times as long. */
const FIRST_STEPS = 1 << 15;
const LONGER = 4;
/** If the machine is further ahead than this number of steps, the log starts anew there. */
const FAR_AHEAD = 1 << 18;

/** No filter. */
export const EVERYTHING: LogFilter = { kinds: [], task: null, zone: null, pages: null };

/** The events found and the state of the search. */
export interface LogState {
  /** Oldest first. */
  readonly rows: Rows;
  /** `rows` has every matching event after this step, up to `to`. */
  readonly from: number;
  readonly to: number;
  /** The range that is being searched, and the position in it. */
  readonly look: { readonly from: number; readonly to: number; readonly at: number } | null;
  /** The engine is searching: the rows are not complete. */
  readonly isBusy: boolean;
  /** Memory allows only the latest recording. */
  readonly isRecentOnly: boolean;
  /** The reason why the search failed. */
  readonly failure: string | null;
}

type Ask = (act: LogAct) => Promise<LogAnswer>;

const EMPTY: LogState = {
  rows: Rows.NONE,
  from: 0,
  to: 0,
  look: null,
  isBusy: false,
  isRecentOnly: false,
  failure: null,
};

/** The log of one experiment. */
export class LogKeeper {
  readonly store: StoreApi<LogState> = createStore(() => EMPTY);
  readonly #ask: Ask;
  #filter = EVERYTHING;
  readonly #searches = new LastAsked();
  #now = this.#searches.next();
  #last: Promise<void> = Promise.resolve();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Starts anew: the last matching events up to a step. */
  begin(to: number, filter: LogFilter): Promise<void> {
    return this.#do(async (signal) => {
      this.#filter = filter;
      this.store.setState({ ...EMPTY, from: to, to, isBusy: true });
      await this.#back(signal, PORTION);
    });
  }

  /** Searches further back for more events. */
  earlier(most: number): Promise<void> {
    return this.#do((signal) => this.#back(signal, most));
  }

  /** Follows the machine to a later step: appends the events up to that step. */
  reach(step: number): Promise<void> {
    const { to } = this.store.getState();
    if (step <= to) return Promise.resolve();
    if (step - to > FAR_AHEAD) return this.begin(step, this.#filter);
    return this.#do(async (signal) => {
      const { to: from, rows } = this.store.getState();
      if (step <= from) return;
      const { found } = await this.#stretch(signal, from, step, MOST);
      this.#keep(oneAfterTheOther([rows, found]), this.store.getState().from, step);
    }, "waits");
  }

  /** Stops the search; the events found so far stay. */
  stop(): void {
    this.#now = this.#searches.next();
    this.store.setState({ look: null, isBusy: false });
  }

  /** Stops all searches and frees the engine's memory. */
  dispose(): void {
    this.stop();
    this.#ask({ kind: "end" }).catch(() => {});
  }

  /** Runs one search at a time: a new search stops the previous one, or waits for it. */
  #do(
    work: (signal: AbortSignal) => Promise<void>,
    how: "stops" | "waits" = "stops",
  ): Promise<void> {
    if (how === "stops") this.#now = this.#searches.next();
    const signal = this.#now;
    this.store.setState({ isBusy: true });
    this.#last = this.#last.then(async () => {
      if (signal.aborted) return;
      this.store.setState({ isBusy: true });
      try {
        await work(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.store.setState({ failure: error instanceof Error ? error.message : String(error) });
      }
      if (!signal.aborted) this.store.setState({ look: null, isBusy: false });
    });
    return this.#last;
  }

  async #back(signal: AbortSignal, most: number) {
    let missing = most;
    let steps = FIRST_STEPS;
    let looked = 0;
    while (missing > 0 && looked < MOST_STEPS) {
      const { from: end, rows, isRecentOnly } = this.store.getState();
      if (end === 0 || isRecentOnly || rows.count >= MOST) return;
      const begin = Math.max(0, end - steps);
      const room = Math.min(missing, MOST - rows.count);
      const { found, isWhole, from } = await this.#stretch(signal, begin, end, room);
      missing -= found.count;
      this.#keep(oneAfterTheOther([found, rows]), from, this.store.getState().to);
      if (!isWhole) this.store.setState({ isRecentOnly: true });
      looked += end - begin;
      steps *= LONGER;
    }
  }

  #keep(rows: Rows, from: number, to: number) {
    const excess = rows.count - MOST;
    if (excess <= 0) return this.store.setState({ rows, from, to });
    const cut = wholeSteps(rows, excess);
    const known = cut > 0 ? rows.step(cut - 1) : from;
    this.store.setState({ rows: rows.from(cut), from: known, to });
  }

  /**
   * The last events of a range, about `most` of them, and the step from which they are complete.
   */
  async #stretch(signal: AbortSignal, from: number, to: number, most: number) {
    let parts: Rows[] = [];
    let known = from;
    let act: LogAct = { kind: "begin", from, to, filter: this.#filter };
    for (let isWhole = true; ; act = { kind: "more" }) {
      const answer = await heard(this.#ask(act), signal);
      if (act.kind === "begin") isWhole = answer.isWhole;
      parts.push(new Rows(answer.rows));
      const all = parts.reduce((sum, part) => sum + part.count, 0);
      const spare = all - most;
      if (spare > 2 * most || (answer.isDone && spare > 0)) {
        const rows = oneAfterTheOther(parts);
        const cut = wholeSteps(rows, spare);
        if (cut > 0) known = rows.step(cut - 1);
        parts = [rows.from(cut)];
      }
      if (answer.isDone) return { found: oneAfterTheOther(parts), isWhole, from: known };
      this.store.setState({ look: { from, to, at: answer.at } });
    }
  }
}

const oneAfterTheOther = (parts: readonly Rows[]): Rows =>
  new Rows(joined(parts.map(({ numbers }) => numbers)));

/** The first row at or before `index` that begins a step: a step's events stay together. */
function wholeSteps(rows: Rows, index: number): number {
  let at = index;
  while (at > 0 && rows.step(at - 1) === rows.step(at)) at -= 1;
  return at;
}
