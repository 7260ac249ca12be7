// The CPU time of each task in both runs, as rows of one table.

import type { CpuTimeRow, Paid } from "../../engine/paid";

/** The CPU time of a task in one run; null if the run has no such task. */
export type SideCpuTime = Pick<CpuTimeRow, "user_ns" | "kernel_ns"> | null;

/** A task by its name, in both runs. */
export interface CpuTimes {
  readonly task: string;
  readonly a: SideCpuTime;
  readonly b: SideCpuTime;
}

/** The CPU time in user mode and in the kernel. */
export const totalOf = (time: SideCpuTime): number => (time ? time.user_ns + time.kernel_ns : 0);

const isKswapd = ({ task }: CpuTimes) => /^kswapd\d+$/.test(task);
const most = ({ a, b }: CpuTimes) => Math.max(totalOf(a), totalOf(b));

/** All tasks of both runs: kswapd first, then by the CPU time of the run that used more. */
export function cpuTimesOf(a: Pick<Paid, "cpu">, b: Pick<Paid, "cpu">): readonly CpuTimes[] {
  const [inA, inB] = [a, b].map(({ cpu }) => new Map(cpu.map((row) => [row.task, row])));
  const tasks = new Set([...a.cpu, ...b.cpu].map(({ task }) => task));
  return [...tasks]
    .map((task): CpuTimes => ({ task, a: inA?.get(task) ?? null, b: inB?.get(task) ?? null }))
    .sort((x, y) => Number(isKswapd(y)) - Number(isKswapd(x)) || most(y) - most(x));
}
