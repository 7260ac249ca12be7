// Combines the moments of a simulated run with those of a machine: more zones, tasks and counters
// in the same rows, on the machine's axis of time.

import { rowAt } from "../../draw/series";
import type { Machine } from "../../engine/capture/open";
import { joined } from "../../engine/log";
import {
  doingNumber,
  packedRow,
  readSeries,
  rowCounter,
  rowDoing,
  rowFree,
  rowReclaimed,
  rowStep,
  rowTime,
  type Series,
} from "../../engine/rows";
import type { RunCounter, RunTask, RunZone } from "../../engine/run";

/** The second number of a simulated counter's pair. */
const SIMULATED = 1;
/** The suffix of the names of everything simulated. */
export const BESIDE = "twin";

/** A simulated run that is shown together with a machine. */
export interface Beside {
  /** The moments of the run; null if there is no run. */
  readonly series: Series | null;
  /** Add this to a time of the machine's axis to get the run's own time, ns. */
  readonly shift_ns: number;
  readonly zones: readonly RunZone[];
  /** With ids after those of the machine. */
  readonly tasks: readonly RunTask[];
  /** Their ids in the run. */
  readonly ids: readonly number[];
  readonly counters: readonly RunCounter[];
}

/** No simulated run is shown. */
export const NO_TWIN: Beside = {
  series: null,
  shift_ns: 0,
  zones: [],
  tasks: [],
  ids: [],
  counters: [],
};

/** A run of the engine to show together with a machine. */
export interface Simulated {
  readonly timeline: Float64Array;
  readonly zones: readonly RunZone[];
  readonly tasks: readonly RunTask[];
  /** The counters in its rows, in their order. */
  readonly counters: readonly string[];
  /** The time at which the workload begins, in the run and on the machine, ns. */
  readonly start_ns: number;
  readonly real_start_ns: number;
}

/** A simulated run with names and ids that differ from those of the machine. */
export function besideOf(machine: Machine, run: Simulated): Beside {
  const first = machine.trace?.info.tasks.length ?? 0;
  return {
    series: readSeries(run.timeline, run.zones.length),
    shift_ns: run.start_ns - run.real_start_ns,
    zones: run.zones.map((zone) => ({ ...zone, key: `${zone.key} ${BESIDE}` })),
    tasks: run.tasks.map((task, i) => ({
      ...task,
      id: first + i,
      name: `${task.name} ${BESIDE}`,
      function: "",
    })),
    ids: run.tasks.map(({ id }) => id),
    counters: run.counters.map((name, i) => ({
      name: `${name} ${BESIDE}`,
      pair: [i, SIMULATED] as const,
    })),
  };
}

/** The simulated counters at a time of the machine's axis, by name. */
export function countersBeside(
  { series, shift_ns, counters }: Beside,
  time_ns: number,
): readonly (readonly [string, number])[] {
  if (!series) return [];
  const at = rowAt(series, time_ns + shift_ns);
  return counters.map(({ name, pair }) => [name, rowCounter(series, at, pair[0])] as const);
}

/** Rows of a machine with the simulated run's values added; `pairs` are the chosen counters. */
export function withTwin(
  rows: Float64Array,
  machine: Machine,
  pairs: readonly number[],
  beside: Beside,
): Float64Array {
  const { series: run, shift_ns, zones, ids } = beside;
  if (!run) return rows;
  const { sampled, trace } = machine;
  const real = readSeries(rows, sampled);
  const tasks = trace?.info.tasks.length ?? 0;
  const chosen = Array.from({ length: pairs.length / 2 }, (_, i) => ({
    index: pairs[2 * i] ?? 0,
    isSimulated: pairs[2 * i + 1] === SIMULATED,
  }));
  const all: Float64Array[] = [];
  for (let row = 0; row < real.length; row += 1) {
    const time_ns = rowTime(real, row);
    const own_ns = time_ns + shift_ns;
    const at = rowAt(run, own_ns);
    const isThere = own_ns >= 0 && own_ns <= rowTime(run, run.length - 1);
    let own = -1;
    all.push(
      packedRow({
        step: rowStep(real, row),
        time_ns,
        free: [
          ...range(sampled).map((zone) => rowFree(real, row, zone)),
          ...zones.map((_, zone) => rowFree(run, at, zone)),
        ],
        counters: chosen.map(({ index, isSimulated }) => {
          if (isSimulated) return rowCounter(run, at, index);
          own += 1;
          return rowCounter(real, row, own);
        }),
        doing: [
          ...range(tasks).map((task) => doingNumber(rowDoing(real, row, task))),
          ...ids.map((id) => (isThere ? doingNumber(rowDoing(run, at, id)) : 0)),
        ],
        reclaimed: [
          ...range(tasks).map((task) => rowReclaimed(real, row, task)),
          ...ids.map((id) => isThere && rowReclaimed(run, at, id)),
        ],
      }),
    );
  }
  return joined(all);
}

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);
