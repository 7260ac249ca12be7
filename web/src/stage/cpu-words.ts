// Texts about CPUs.

import { usedShares } from "../draw/cpus";
import { percent } from "../engine/format";
import type { CpuView, View } from "../engine/types";

/** A task's name. */
export const taskNameIn = ({ tasks }: Pick<View, "tasks">, id: number): string =>
  tasks.find((task) => task.id === id)?.name ?? `task ${id}`;

/** A CPU's activity in a few words; for a running task, its place in the code. */
export function doesWords({ state, function: name }: Pick<CpuView, "state" | "function">): string {
  switch (state) {
    case "user":
      return "user mode";
    case "kernel":
      return name;
    case "interrupt":
      return "interrupt";
    case "choosing":
      return "picks the next task";
    case "idle":
      return "idle";
    case "io_wait":
      return "idle, I/O wait";
  }
}

/** The whole state of a CPU as one sentence, for its title and for screen readers. */
export function cpuSentence(cpu: CpuView, view: Pick<View, "tasks">): string {
  const { id, running, handler, waiting, function: name } = cpu;
  const task = running === null ? "" : taskNameIn(view, running);
  const does =
    handler !== null
      ? `handles an interrupt: ${taskNameIn(view, handler)} in ${name}${task && `; ${task} is interrupted`}`
      : task
        ? `runs ${task}, ${cpu.state === "user" ? "in user mode" : `in ${name}`}`
        : doesWords(cpu);
  const waits =
    waiting.length === 0
      ? "no task waits"
      : `${waiting.map((id) => taskNameIn(view, id)).join(", ")} ${waiting.length === 1 ? "waits" : "wait, in this order"}`;
  return `CPU ${id}: ${does}; ${waits}.`;
}

/** The use of a CPU's time. */
export function usedWords(cpu: CpuView): string {
  const { user, kernel, iowait, idle } = usedShares(cpu);
  if (user + kernel + iowait + idle === 0) return "no time has passed";
  return `since boot: ${percent(user)} user mode, ${percent(kernel)} kernel, ${percent(iowait)} idle while a task waits for I/O, ${percent(idle)} idle`;
}
