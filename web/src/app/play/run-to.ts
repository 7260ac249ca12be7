// Runs to the next record of a kind, or back to the previous one: first searches the records, then
// goes to the step found.

import { type Heard, LastAsked } from "../../engine/last-asked";
import type { LogAct } from "../../engine/log";
import type { AskLog } from "../../engine/log-turns";
import type { EngineRequest } from "../../engine/protocol";
import { RecordReader, type StoryRecord } from "../../story/records";
import { type Target, type TargetId, targetOf } from "../../story/run-to";
import { modeOf, type WorkbenchStore } from "../store";
import { RUN_TO } from "./words";

/** The parts of the workbench that this module needs. */
export interface RunToBench {
  readonly send: (request: EngineRequest) => void;
  /** Announces a text in the live region. */
  readonly say: (words: string) => void;
  /** Shows a notice: one sentence about what has just happened. */
  readonly tell: (text: string) => void;
  /** A separate log reader. */
  readonly log: () => AskLog;
  /** The user has acted on the open experiment. */
  readonly touch: () => void;
}

/** The length of the first range searched backwards; each further range is longer by a factor. */
const FIRST_STEPS = 1 << 15;
const LONGER = 4;

/** The "run to" of one workbench. */
export class RunTo {
  readonly #store: WorkbenchStore;
  readonly #bench: RunToBench;
  readonly #searches = new LastAsked();

  constructor(store: WorkbenchStore, bench: RunToBench) {
    this.#store = store;
    this.#bench = bench;
  }

  /** Chooses the target. */
  choose(target: TargetId) {
    this.#store.setState({ target });
  }

  /** Cancels the search. */
  stop() {
    this.#searches.stop();
    this.#search(null);
  }

  /** Goes to the next record of the chosen kind, or to the previous one. */
  go(where: "next" | "previous"): Promise<void> {
    const state = this.#store.getState();
    const { engine, session, target } = state;
    const position = session?.frame?.view.position;
    if (engine.kind !== "ready" || !position || modeOf(state) !== "paused")
      return Promise.resolve();
    const resolved = targetOf(target);
    const reader = new RecordReader(engine.catalog);
    this.#bench.touch();
    return this.#searches.ask(async (heard) => {
      this.#search({ words: resolved.words, at: position.step });
      const ask = this.#bench.log();
      try {
        const look = { ask, target: resolved, reader, heard };
        const step =
          where === "next"
            ? await this.#after(look, position.step)
            : await this.#before(look, position.step);
        if (step === null) this.#miss(resolved, where);
        else this.#bench.send({ kind: "go", goal: { kind: "step", step } });
      } finally {
        this.#search(null);
        ask({ kind: "end" }).catch(() => {});
      }
    });
  }

  async #after(look: Search, from: number): Promise<number | null> {
    let act: LogAct = begin(look, from, Number.MAX_SAFE_INTEGER);
    for (;;) {
      const { rows, at, isDone } = await look.heard(look.ask(act));
      const found = look.reader.read(rows).records.find((record) => isMatch(look, record, from));
      if (found) return found.step;
      if (isDone) return null;
      this.#search({ words: look.target.words, at });
      act = { kind: "more" };
    }
  }

  async #before(look: Search, from: number): Promise<number | null> {
    let to = from - 1;
    for (let steps = FIRST_STEPS; to > 0; steps *= LONGER) {
      const first = Math.max(0, to - steps);
      let last: number | null = null;
      let act: LogAct = begin(look, first, to);
      for (;;) {
        const { rows, isDone } = await look.heard(look.ask(act));
        for (const record of look.reader.read(rows).records)
          if (isMatch(look, record, 0) && record.step < from) last = record.step;
        if (isDone) break;
        act = { kind: "more" };
      }
      if (last !== null) return last;
      to = first;
      this.#search({ words: look.target.words, at: to });
    }
    return null;
  }

  #miss({ words }: Target, where: "next" | "previous") {
    const notice = where === "next" ? RUN_TO.noneAhead(words) : RUN_TO.noneBefore(words);
    this.#bench.tell(notice);
    this.#bench.say(notice);
  }

  #search(search: { words: string; at: number } | null) {
    const { story } = this.#store.getState();
    if (story.search !== search) this.#store.setState({ story: { ...story, search } });
  }
}

interface Search {
  readonly ask: AskLog;
  readonly target: Target;
  readonly reader: RecordReader;
  readonly heard: Heard;
}

const begin = ({ target: resolved, reader }: Search, from: number, to: number): LogAct => ({
  kind: "begin",
  from,
  to,
  filter: reader.filterOf(resolved.records),
});

const isMatch = ({ target: resolved }: Search, record: StoryRecord, after: number): boolean =>
  record.step > after &&
  resolved.records.includes(record.name) &&
  // An empty batch does not count.
  !(record.name === "Isolated" && record.values.taken === 0);
