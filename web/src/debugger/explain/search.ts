// Finds a pass, an allocation or the sum of a run in the engine's log. A search reads slice by
// slice, reports its progress, and ends when its signal aborts.

import { heard } from "../../engine/last-asked";
import type { LogAnswer, LogFilter } from "../../engine/log";
import type { AskLog } from "../../engine/log-turns";
import { type Kinds, kindsNamed, type Rec, type RecordName, recordsIn } from "../../engine/record";
import { EVERYTHING } from "../../log/keeper";
import { ACCESS_RECORDS, type Access, Accesses } from "./access";
import { AGE_RECORDS, type Ages } from "./ages";
import { ATTEMPT_RECORDS, type Attempt, type AttemptSum, Attempts } from "./attempt";
import { CHARGE_BOUNDS, CHARGE_RECORDS, type Charge, ChargeReader, endsCharge } from "./charge";
import { beginsPass, PASS_RECORDS, type Pass, Passes } from "./funnel";
import { FunnelSum } from "./funnel-sum";
import { PLAN_RECORDS, type Plan, Plans } from "./plan/plan";
import { WAIT_RECORDS, type Wait, Waits } from "./wait";

/** The progress of a search. */
export interface Progress {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** The parameters of a search. */
export interface SearchContext {
  readonly ask: AskLog;
  readonly kinds: Kinds;
  readonly signal: AbortSignal;
  readonly tell: (progress: Progress) => void;
}

/**
 * On a machine of this size only the latest records exist, and the search found nothing in them.
 */
export class RecentOnly extends Error {}

/**
 * The length of the first range that is searched backwards, and the growth factor of each further
 * range.
 */
const FIRST_STEPS = 1 << 13;
const LONGER = 8;

/** The slices of a range: the steps after `from` up to `to`. */
async function* slices(
  { ask, signal, tell }: SearchContext,
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

/** Reads ranges that end at `to`, each longer than the last, until one gives a result. */
async function backFrom<T>(
  looking: SearchContext,
  to: number,
  filter: LogFilter,
  read: (records: AsyncGenerator<Rec>) => Promise<T | null>,
): Promise<T | null> {
  for (let steps = FIRST_STEPS; ; steps *= LONGER) {
    const from = Math.max(0, to - steps);
    let isWhole = true;
    const records = async function* () {
      let isFirst = true;
      for await (const answer of slices(looking, from, to, filter)) {
        if (isFirst) ({ isWhole } = answer);
        isFirst = false;
        yield* recordsIn(answer.rows, looking.kinds);
      }
    };
    const found = await read(records());
    if (found !== null || from === 0) return found;
    if (!isWhole) throw new RecentOnly();
  }
}

/** The last matching record of a range. */
const lastWhere = (isMatch: (record: Rec) => boolean) => async (records: AsyncGenerator<Rec>) => {
  let last: Rec | null = null;
  for await (const record of records) if (isMatch(record)) last = record;
  return last;
};

/** A filter for some records of a task, or of all tasks. */
const only = (
  { kinds }: SearchContext,
  names: readonly RecordName[],
  task: number | null = null,
) => ({
  ...EVERYTHING,
  task,
  kinds: kindsNamed(kinds, names),
});

/** The last pass over an inactive list that began before a step, of one task or of any. */
export async function findPass(
  looking: SearchContext,
  here: number,
  task: number | null,
): Promise<Pass | null> {
  const begins = only(looking, ["mm_vmscan_lru_isolate"], task);
  const first = await backFrom(looking, here, begins, lastWhere(beginsPass));
  if (!first) return null;
  const passes = new Passes();
  const filter = only(looking, PASS_RECORDS, first.task);
  for await (const { rows } of slices(looking, first.step - 1, here, filter)) {
    for (const record of recordsIn(rows, looking.kinds)) passes.take(record);
  }
  return passes.of(first.task);
}

/** A task's allocation in progress, otherwise the last one that ended before a step. */
export async function findPlan(
  looking: SearchContext,
  here: number,
  { task, isInProgress }: { task: number | null; isInProgress: boolean },
): Promise<Plan | null> {
  const ends = only(looking, ["mm_page_alloc"], task);
  const end = isInProgress
    ? null
    : await backFrom(
        looking,
        here,
        ends,
        lastWhere(() => true),
      );
  const by = end?.task ?? task;
  if (by === null || !(isInProgress || end)) return null;
  const filter = only(looking, PLAN_RECORDS, by);
  return backFrom(looking, end?.step ?? here, filter, async (records) => {
    const plans = new Plans();
    let ended: Plan | null = null;
    for await (const record of records) ended = plans.take(record) ?? ended;
    return isInProgress ? plans.inProgress(by) : ended?.end?.step === end?.step ? ended : null;
  });
}

/** A task's wait in reclaim at a step, otherwise its last one; for `null` the last of any task. */
export async function findWait(
  looking: SearchContext,
  here: number,
  task: number | null,
): Promise<Wait | null> {
  return backFrom(looking, here, only(looking, WAIT_RECORDS), async (records) => {
    const waits = new Waits();
    for await (const record of records) waits.take(record);
    return waits.of(task);
  });
}

/** A task's charge at the limit of a cgroup at a step, otherwise its last one. */
export async function findCharge(
  looking: SearchContext,
  here: number,
  task: number | null,
): Promise<Charge | null> {
  const over = only(looking, ["ChargeOver"], task);
  const last = await backFrom(
    looking,
    here,
    over,
    lastWhere(() => true),
  );
  if (!last) return null;
  const begun = await beginOfCharge(looking, last);
  const reader = new ChargeReader();
  const filter = only(looking, CHARGE_RECORDS, last.task);
  for await (const { rows } of slices(looking, begun.step - 1, here, filter)) {
    for (const record of recordsIn(rows, looking.kinds)) reader.take(record);
  }
  return reader.charge;
}

/** The first attempt of the charge to which an attempt belongs. */
async function beginOfCharge(looking: SearchContext, attempt: Rec): Promise<Rec> {
  // Without an end before it, the charge may have begun before the range.
  let earliest = attempt;
  const filter = only(looking, CHARGE_BOUNDS, attempt.task);
  const found = await backFrom(looking, attempt.step, filter, async (records) => {
    let begun: Rec | null = null;
    let hasEnd = false;
    for await (const record of records) {
      if (endsCharge(record)) [begun, hasEnd] = [null, true];
      else begun ??= record;
    }
    earliest = begun ?? earliest;
    return hasEnd ? begun : null;
  });
  return found ?? earliest;
}

/** The last access of a task at a step; for `null` the last of any task. */
export async function findAccess(
  looking: SearchContext,
  here: number,
  task: number | null,
): Promise<Access | null> {
  return backFrom(looking, here, only(looking, ACCESS_RECORDS, task), async (records) => {
    const accesses = new Accesses();
    for await (const record of records) accesses.take(record);
    return accesses.of(task);
  });
}

/**
 * A task's request for a block at a step, otherwise its last one; for `null` the last of any task.
 */
export async function findAttempt(
  looking: SearchContext,
  here: number,
  task: number | null,
): Promise<Attempt | null> {
  return backFrom(looking, here, only(looking, ATTEMPT_RECORDS), async (records) => {
    const attempts = new Attempts();
    for await (const record of records) attempts.take(record);
    return attempts.of(task);
  });
}

/** Adds the records after one step up to another to the ages. */
export const addAges = (looking: SearchContext, ages: Ages, from: number, to: number) =>
  addUp(looking, AGE_RECORDS, ages, from, to);

/** Adds the records after one step up to another to a sum of attempts. */
export const addAttempts = (looking: SearchContext, sum: AttemptSum, from: number, to: number) =>
  addUp(looking, ATTEMPT_RECORDS, sum, from, to);

async function addUp(
  looking: SearchContext,
  names: readonly RecordName[],
  sum: { readonly take: (record: Rec) => void },
  from: number,
  to: number,
): Promise<void> {
  if (from === to) return;
  const filter = only(looking, names);
  for await (const { rows, isWhole } of slices(looking, from, to, filter)) {
    if (!isWhole) throw new RecentOnly();
    for (const record of recordsIn(rows, looking.kinds)) sum.take(record);
  }
}

/** The maximum number of intermediate sums that are kept. */
const MOST_KEPT = 64;

/** The sum of a run at any step, computed from the nearest known one. */
export class RunSums {
  #known: { step: number; sum: FunnelSum }[] = [{ step: 0, sum: new FunnelSum() }];

  /** The known sum of the latest step up to this one. */
  nearest(step: number): { step: number; sum: FunnelSum } {
    const before = this.#known.filter((known) => known.step <= step);
    return before.at(-1) ?? { step: 0, sum: new FunnelSum() };
  }

  /** Adds up all records from the start of the run to a step. */
  async at(looking: SearchContext, here: number): Promise<FunnelSum> {
    const { step: from, sum: known } = this.nearest(here);
    if (from === here) return known;
    const sum = known.copy();
    const filter = only(looking, PASS_RECORDS);
    for await (const { rows, at, isWhole, isDone } of slices(looking, from, here, filter)) {
      if (!isWhole) throw new RecentOnly();
      for (const record of recordsIn(rows, looking.kinds)) sum.take(record);
      if (at > from) this.#keep(isDone ? here : at, sum.copy());
    }
    return sum;
  }

  #keep(step: number, sum: FunnelSum) {
    const rest = this.#known.filter((known) => known.step !== step);
    this.#known = [...rest, { step, sum }].sort((a, b) => a.step - b.step);
    if (this.#known.length <= MOST_KEPT) return;
    // Deletes every second sum, apart from the first and the latest.
    const last = this.#known.length - 1;
    this.#known = this.#known.filter((_, i) => i % 2 === 0 || i === last);
  }
}
