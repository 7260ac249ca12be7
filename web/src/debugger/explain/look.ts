// Finding a pass, an allocation or the sum of a run in the engine's log. Every look goes slice by
// slice, says how far it has come, and ends when its signal does.

import { heard } from "../../engine/last-asked";
import type { LogAnswer, LogFilter } from "../../engine/log";
import type { AskLog } from "../../engine/log-turns";
import { EVERYTHING } from "../../log/keeper";
import { AGE_EVENTS, AGE_FACTS, type Ages } from "./ages";
import { type Fact, type FactNames, factsOf, kindsOf } from "./facts";
import { beginsPass, PASS_EVENTS, PASS_FACTS, type Pass, Passes } from "./funnel";
import { FunnelSum } from "./funnel-sum";
import { PLAN_EVENTS, type Plan, Plans } from "./plan";

/** How far a look has come. */
export interface Progress {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** What a look needs. */
export interface Looking {
  readonly ask: AskLog;
  readonly names: FactNames;
  readonly signal: AbortSignal;
  readonly tell: (progress: Progress) => void;
}

/** Only what was recorded last can be had on a machine of this size, and it was not there. */
export class RecentOnly extends Error {}

/** The first stretch looked back at, and how many times as long each further one is. */
const FIRST_STEPS = 1 << 13;
const LONGER = 8;

/** The slices of a stretch: the steps after `from` up to `to`. */
async function* slices(
  { ask, signal, tell }: Looking,
  from: number,
  to: number,
  filter: LogFilter,
): AsyncGenerator<LogAnswer> {
  let answer = await heard(ask({ kind: "begin", from, to, filter }), signal);
  for (;;) {
    yield answer;
    if (answer.isDone) return;
    tell({ from, to, at: answer.at });
    answer = await heard(ask({ kind: "more" }), signal);
  }
}

/** Reads stretches that end at `to`, each longer than the last, until one gives something. */
async function backFrom<T>(
  looking: Looking,
  to: number,
  filter: LogFilter,
  read: (facts: AsyncGenerator<Fact>) => Promise<T | null>,
): Promise<T | null> {
  for (let steps = FIRST_STEPS; ; steps *= LONGER) {
    const from = Math.max(0, to - steps);
    let isWhole = true;
    const facts = async function* () {
      let isFirst = true;
      for await (const answer of slices(looking, from, to, filter)) {
        if (isFirst) ({ isWhole } = answer);
        isFirst = false;
        yield* factsOf(answer.rows, looking.names);
      }
    };
    const found = await read(facts());
    if (found !== null || from === 0) return found;
    if (!isWhole) throw new RecentOnly();
  }
}

/** The last fact of a stretch that is wanted. */
const lastWhere = (isWanted: (fact: Fact) => boolean) => async (facts: AsyncGenerator<Fact>) => {
  let last: Fact | null = null;
  for await (const fact of facts) if (isWanted(fact)) last = fact;
  return last;
};

/** The last pass over an inactive list that began before a step; of a task, where one is named. */
export async function findPass(
  looking: Looking,
  here: number,
  task: number | null,
): Promise<Pass | null> {
  const { names } = looking;
  const begins = { ...EVERYTHING, task, events: kindsOf(names, ["mm_vmscan_lru_isolate"]) };
  const first = await backFrom(looking, here, begins, lastWhere(beginsPass));
  if (!first) return null;
  const passes = new Passes();
  const filter = {
    ...EVERYTHING,
    task: first.task,
    decisions: true,
    events: kindsOf(names, PASS_EVENTS),
  };
  for await (const { rows } of slices(looking, first.step - 1, here, filter)) {
    for (const fact of factsOf(rows, names, PASS_FACTS)) passes.take(fact);
  }
  return passes.of(first.task);
}

/** The allocation a task is in the middle of; else the last one that ended before a step. */
export async function findPlan(
  looking: Looking,
  here: number,
  { task, isInProgress }: { task: number | null; isInProgress: boolean },
): Promise<Plan | null> {
  const { names } = looking;
  const ends = { ...EVERYTHING, task, events: kindsOf(names, ["mm_page_alloc"]) };
  const isEnd = (fact: Fact) => fact.name === "mm_page_alloc";
  const end = isInProgress ? null : await backFrom(looking, here, ends, lastWhere(isEnd));
  const by = end?.task ?? task;
  if (by === null || !(isInProgress || end)) return null;
  const filter = {
    ...EVERYTHING,
    task: by,
    decisions: true,
    events: kindsOf(names, PLAN_EVENTS),
  };
  return backFrom(looking, end?.step ?? here, filter, async (facts) => {
    const plans = new Plans();
    let ended: Plan | null = null;
    for await (const fact of facts) ended = plans.take(fact) ?? ended;
    return isInProgress ? plans.inProgress(by) : ended?.end?.step === end?.step ? ended : null;
  });
}

/** Lets ages take everything after one step up to another. */
export async function addAges(looking: Looking, ages: Ages, from: number, to: number) {
  if (from === to) return;
  const filter = { ...EVERYTHING, decisions: true, events: kindsOf(looking.names, AGE_EVENTS) };
  for await (const { rows, isWhole } of slices(looking, from, to, filter)) {
    if (!isWhole) throw new RecentOnly();
    for (const fact of factsOf(rows, looking.names, AGE_FACTS)) ages.take(fact);
  }
}

/** Most sums kept of moments on the way. */
const MOST_KEPT = 64;

/** The sum of a run at any step: begins from the nearest one known. */
export class RunSums {
  #known: { step: number; sum: FunnelSum }[] = [{ step: 0, sum: new FunnelSum() }];

  /** The furthest sum known up to a step. */
  nearest(step: number): { step: number; sum: FunnelSum } {
    const before = this.#known.filter((known) => known.step <= step);
    return before.at(-1) ?? { step: 0, sum: new FunnelSum() };
  }

  /** Adds up everything from the start of the run to a step. */
  async at(looking: Looking, here: number): Promise<FunnelSum> {
    const { step: from, sum: known } = this.nearest(here);
    if (from === here) return known;
    const sum = known.copy();
    const events = kindsOf(looking.names, PASS_EVENTS);
    const filter = { ...EVERYTHING, decisions: true, events };
    for await (const { rows, at, isWhole, isDone } of slices(looking, from, here, filter)) {
      if (!isWhole) throw new RecentOnly();
      for (const fact of factsOf(rows, looking.names, PASS_FACTS)) sum.take(fact);
      if (at > from) this.#keep(isDone ? here : at, sum.copy());
    }
    return sum;
  }

  #keep(step: number, sum: FunnelSum) {
    const rest = this.#known.filter((known) => known.step !== step);
    this.#known = [...rest, { step, sum }].sort((a, b) => a.step - b.step);
    if (this.#known.length <= MOST_KEPT) return;
    // Every other one goes; the start and the latest stay.
    const last = this.#known.length - 1;
    this.#known = this.#known.filter((_, i) => i % 2 === 0 || i === last);
  }
}
