// Tasks that moved between CPUs: from the kernel's own record if there is one, otherwise by
// comparing two moments.

import type { Cause } from "../engine/protocol";
import type { View } from "../engine/types";

/** A task that moved from one CPU to another. */
export interface Move {
  readonly task: number;
  readonly from: number;
  readonly to: number;
  /** How many moments ago the task moved. */
  readonly age: number;
}

/** The fields of a view that show which tasks moved. */
export type Moment = Pick<View, "position" | "tasks" | "cpus" | "events">;

/** The known moves at one moment of a run. */
export interface Trail {
  /** The run. */
  readonly of: unknown;
  readonly step: number;
  /** The CPU on which each task was last, running or waiting. */
  readonly last: ReadonlyMap<number, number>;
  readonly moves: readonly Move[];
  /** The moment is earlier than the previous one: moves are shown reversed. */
  readonly isBack: boolean;
}

/** During playback a move is marked for this many moments. */
const SHOWN = 24;
/** Causes of frames that continue from the previous moment. */
const ONWARDS: readonly Cause[] = ["stepped", "played", "told", "paused"];

/** The moves of the next moment, computed from those of the previous one. */
export function follow(trail: Trail | null, of: unknown, view: Moment, cause: Cause): Trail {
  const { step } = view.position;
  const known = trail?.of === of ? trail : null;
  if (known?.step === step) return known;
  const isOn = known !== null && step > known.step && ONWARDS.includes(cause);
  const isBack = known !== null && step < known.step && cause === "back";
  const last = new Map(isOn ? known.last : view.tasks.map(({ id, cpu }) => [id, cpu]));
  if (isBack) return { of, step, last, moves: undone(known.last, last), isBack };
  const moves: Move[] = [];
  for (const cpu of view.cpus) {
    for (const task of onCpu(cpu)) {
      const from = last.get(task);
      if (from !== undefined && from !== cpu.id) moves.push({ task, from, to: cpu.id, age: 0 });
      last.set(task, cpu.id);
    }
  }
  const isRecorded = (move: Move) => moves.some(({ task }) => task === move.task);
  moves.push(...recorded(view).filter((move) => !isRecorded(move)));
  if (isOn && cause !== "stepped") moves.push(...older(known.moves, moves, last));
  return { of, step, last, moves, isBack };
}

/**
 * Moves that a step back undoes; a task that was woken on another CPU sleeps again and is on no
 * CPU.
 */
const undone = (after: ReadonlyMap<number, number>, before: ReadonlyMap<number, number>): Move[] =>
  [...before].flatMap(([task, to]) => {
    const from = after.get(task);
    return from === undefined || from === to ? [] : [{ task, from, to, age: 0 }];
  });

const onCpu = ({ running, waiting }: Moment["cpus"][number]): readonly number[] =>
  running === null ? waiting : [running, ...waiting];

/** Moves recorded by the last step (`sched_migrate_task`); after a jump only these are known. */
function recorded({ events, cpus }: Moment): Move[] {
  return events.flatMap(({ name, fields }) => {
    if (name !== "sched_migrate_task") return [];
    const [task, from, to] = ["task", "orig_cpu", "dest_cpu"].map(
      (id) => fields.find((field) => field.name === id)?.value,
    );
    if (typeof task !== "number" || typeof from !== "number" || typeof to !== "number") return [];
    const isThere = cpus.some((cpu) => cpu.id === to && onCpu(cpu).includes(task));
    return isThere ? [{ task, from, to, age: 0 }] : [];
  });
}

/** Earlier moves that are still marked: their tasks are still on the CPU they moved to. */
function older(
  before: readonly Move[],
  now: readonly Move[],
  last: ReadonlyMap<number, number>,
): Move[] {
  return before
    .filter(({ task, to, age }) => {
      const hasMoved = now.some((move) => move.task === task);
      return age + 1 < SHOWN && !hasMoved && last.get(task) === to;
    })
    .map((move) => ({ ...move, age: move.age + 1 }));
}
