// The interventions of an experiment, in words.
import { DISTURBANCES } from "./words";

/** One intervention. */
export interface Disturbance {
  /** Virtual time, ns. */
  readonly time_ns: number;
  /** "kill hog/1". */
  readonly words: string;
}

/** An intervention of an experiment; the engine has checked it. */
export interface Intervention {
  readonly at: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly drop_caches?: number;
  readonly compact_memory?: number;
  readonly start?: string | { readonly name: string; readonly program?: readonly unknown[] };
  readonly kill?: string;
  readonly affinity?: {
    readonly task: string;
    readonly node?: number;
    readonly cpus?: readonly number[];
  };
  readonly slow?: { readonly device: string; readonly percent: number };
  readonly cgroup?: {
    readonly name: string;
    readonly file: string;
    readonly value: string | number;
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, ns: 1 };

/** "250ms" in ns. */
export function timeOf(at: string): number {
  const [, digits = "0", unit = "ns"] = /^\s*(\d+)\s*(\S+)\s*$/.exec(at) ?? [];
  return Number(digits) * (UNITS[unit] ?? 1);
}

/** An intervention in a few words. */
export function interventionWords(act: Intervention): string {
  const { set, drop_caches, compact_memory, start, kill, affinity, slow, cgroup } = act;
  if (set) {
    const parts = Object.entries(set).map(([name, value]) => `${name} = ${value}`);
    return parts.join(", ") || "set nothing";
  }
  if (drop_caches !== undefined) return "drop caches";
  if (compact_memory !== undefined) return "compact memory";
  if (start !== undefined) return `start ${typeof start === "string" ? start : start.name}`;
  if (kill !== undefined) return `kill ${kill}`;
  if (affinity) {
    const { task, node, cpus } = affinity;
    if (node !== undefined) return DISTURBANCES.toNode(task, node);
    return cpus ? DISTURBANCES.toCpu(task, cpus.join(", ")) : DISTURBANCES.toAnyCpu(task);
  }
  if (cgroup) return DISTURBANCES.ofCgroup(cgroup.name, cgroup.file, String(cgroup.value));
  return slow ? DISTURBANCES.atOfItsSpeed(slow.device, slow.percent) : "";
}

/** All interventions of an experiment, given as canonical JSON, in order of time. */
export function disturbancesOf(experiment: string): Disturbance[] {
  const { interventions = [] }: { interventions?: Intervention[] } = JSON.parse(experiment);
  return interventions
    .map((one) => ({ time_ns: timeOf(one.at), words: interventionWords(one) }))
    .sort((a, b) => a.time_ns - b.time_ns);
}

/**
 * The point at which a run was forked from another: its first intervention, unless the experiment
 * is ready-made.
 */
export function forkOf(experiment: string): Disturbance | null {
  const { id }: { id?: string } = JSON.parse(experiment);
  return id ? null : (disturbancesOf(experiment)[0] ?? null);
}
