// Runs the twin of a capture on the page's engine: to the moment that corresponds to the capture's
// "before", then through the workload. The page compares the counters at both moments, and the
// moments in between.

import type { Workbench } from "../../app/controller";
import type { WorkbenchState } from "../../app/store";
import { counterAt } from "../../app/watch";
import { rowAt } from "../../draw/series";
import type { Capture, Twin } from "../../engine/capture/answers";
import type { Machine } from "../../engine/capture/open";
import { readSeries, rowCounter, rowDoing, rowTime, type Series } from "../../engine/rows";
import type { Simulated } from "./beside";
import type { Grown } from "./twin";

const MS = 1e6;
const S = 1e9;
/** The capture's counters were read this long after the workload, ms. */
const AFTER_MS = 400;

/** The end of a twin's run. */
export interface TwinRun {
  readonly simulated: Simulated;
  readonly before: ReadonlyMap<string, number>;
  readonly after: ReadonlyMap<string, number>;
  /** The counters of the capture that the engine counts. */
  readonly counted: ReadonlySet<string>;
}

/** Resolves when the page's engine is in a state; rejects when it stops or is cancelled. */
function reached(
  workbench: Workbench,
  isThere: (state: WorkbenchState) => boolean,
  signal: AbortSignal,
): Promise<WorkbenchState> {
  return new Promise((resolve, reject) => {
    const check = (state: WorkbenchState) => {
      if (state.trap) return finish(() => reject(new Error(state.trap?.message)));
      if (isThere(state)) finish(() => resolve(state));
    };
    const unsubscribe = workbench.store.subscribe(check);
    const cancel = () => finish(() => reject(signal.reason));
    const finish = (then: () => void) => {
      unsubscribe();
      signal.removeEventListener("abort", cancel);
      then();
    };
    signal.addEventListener("abort", cancel);
    check(workbench.store.getState());
  });
}

/** Whether the machine is paused and has arrived where it was sent. */
const isStill = ({ session, longRun }: WorkbenchState): boolean => {
  const frame = session?.frame;
  return frame != null && !longRun && frame.mode.kind === "paused" && frame.cause !== "view";
};

const countersOf = ({ session }: WorkbenchState): Map<string, number> =>
  new Map(session?.frame?.view.counters ?? []);

/** When the workload began on the axis of the page, ns. */
const realStart = (machine: Machine, capture: Capture): number =>
  Math.max(0, Math.round(((capture.workload_s?.[0] ?? machine.zero_s) - machine.zero_s) * S));

/** The length of the workload, ns. */
function workloadNs(machine: Machine, { workload_s }: Capture): number {
  return workload_s ? Math.round((workload_s[1] - workload_s[0]) * S) : machine.length_ns;
}

/** Opens and runs a twin. */
export async function runTwin(
  workbench: Workbench,
  machine: Machine,
  capture: Capture,
  twin: Twin,
  signal: AbortSignal,
): Promise<TwinRun> {
  const refusals = await workbench.openOrRefuse(twin.experiment);
  signal.throwIfAborted();
  if (refusals.length > 0) {
    throw new Error(refusals.map(({ path, reason }) => `${path} ${reason}`.trim()).join(" "));
  }
  const first = await reached(workbench, isStill, signal);
  const names = shared(first, machine.samples?.columns ?? []);
  workbench.setTracks(names.flatMap(({ pair }) => pair));
  const go = async (time_ns: number) => {
    const was = workbench.store.getState().session?.frame;
    workbench.transport.seek({ kind: "time", time_ns });
    const isNew = (state: WorkbenchState) => state.session?.frame !== was && isStill(state);
    return reached(workbench, isNew, signal);
  };
  const before = countersOf(await go(twin.before_ms * MS));
  const start_ns = twin.start_ms * MS;
  const end = await atEnd(go, start_ns, workloadNs(machine, capture));
  const { session } = end;
  const view = session?.frame?.view;
  return {
    before,
    after: countersOf(end),
    counted: new Set(
      shared(
        first,
        capture.counters.map(({ name }) => name),
      ).map(({ name }) => name),
    ),
    simulated: {
      timeline: session?.timeline ?? new Float64Array(),
      zones: view?.zones ?? [],
      tasks: view?.tasks ?? [],
      counters: names.map(({ name }) => name),
      start_ns,
      real_start_ns: realStart(machine, capture),
    },
  };
}

/** A simulated workload may take this many times as long as the real one, and is then cut. */
const MOST_TIMES = 4;
/** Tasks that run in addition to the workload: the guest's own tasks. */
const BACKDROP = /^(?:guest|sampler|shells)\b/;

/** Goes to the moment at which the counters were read: a little after the workload has ended. */
async function atEnd(
  go: (time_ns: number) => Promise<WorkbenchState>,
  start_ns: number,
  real_ns: number,
): Promise<WorkbenchState> {
  for (let times = 1; ; times *= 2) {
    const state = await go(start_ns + times * real_ns + AFTER_MS * MS);
    const ended_ns = endOf(state);
    if (ended_ns !== null) return go(ended_ns + AFTER_MS * MS);
    if (times >= MOST_TIMES || state.session?.frame?.view.position.ended) return state;
  }
}

/** When the last task of the workload ended; null if a task is still running. */
function endOf({ session }: WorkbenchState): number | null {
  const view = session?.frame?.view;
  if (!session || !view) return null;
  const series = readSeries(session.timeline, view.zones.length);
  const last = series.length - 1;
  const own = view.tasks.filter(
    ({ kernel_thread, name }) => !kernel_thread && !BACKDROP.test(name),
  );
  const isThere = (row: number) => own.some(({ id }) => rowDoing(series, row, id) !== "gone");
  if (last < 0 || isThere(last)) return null;
  for (let row = last; row > 0; row -= 1) if (isThere(row - 1)) return rowTime(series, row);
  return null;
}

/** The counters of the samples that the engine counts, too. */
function shared({ engine, session }: WorkbenchState, columns: readonly string[]) {
  if (engine.kind !== "ready" || !session) return [];
  const { catalog } = engine;
  return columns.flatMap((name) => {
    const watched = counterAt(name, { catalog, info: session.info });
    return watched ? [{ name, pair: [watched.a, watched.b] }] : [];
  });
}

/** The growth of the counters of both runs since the workload began, at the samples' moments. */
export function grownOf(machine: Machine, run: Simulated): Grown[] {
  const { samples, zero_s } = machine;
  if (!samples) return [];
  const series = readSeries(run.timeline, run.zones.length);
  const end_ns = series.length > 0 ? rowTime(series, series.length - 1) : 0;
  const during = samples.rows.flatMap((row) => {
    const since_ns = Math.round(((row[0] ?? 0) - zero_s) * S) - run.real_start_ns;
    return since_ns >= 0 && run.start_ns + since_ns <= end_ns ? [{ row, since_ns }] : [];
  });
  return run.counters.flatMap((name, counter) => {
    const column = samples.columns.indexOf(name);
    if (column < 0 || name.startsWith("nr_") || series.counters <= counter) return [];
    const at = valueAt(series, counter);
    // The growth of both counters is measured from the first sample of the workload on.
    const first_ns = run.start_ns + (during[0]?.since_ns ?? 0);
    const begin = { real: during[0]?.row[column] ?? 0, simulated: at(first_ns) };
    const moments = during.map(({ row, since_ns }) => ({
      time_ns: since_ns + run.real_start_ns,
      real: (row[column] ?? 0) - begin.real,
      simulated: at(run.start_ns + since_ns) - begin.simulated,
    }));
    return [{ name, moments }];
  });
}

const valueAt = (series: Series, counter: number) => (time_ns: number) =>
  rowCounter(series, rowAt(series, time_ns), counter);
