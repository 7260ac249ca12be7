// The speeds of playback: steps a second, slow enough to follow each, then virtual time a second on
// a log scale.

import { duration } from "../engine/format";
import type { Pace } from "../engine/protocol";
import { PACE } from "./words";

const steps = (steps_per_s: number): Pace => ({ kind: "steps", steps_per_s });
const time = (ns_per_s: number): Pace => ({ kind: "time", ns_per_s });

/** All speeds, slowest first. */
export const PACES: readonly Pace[] = [
  ...[1, 2, 4, 8, 15, 30].map(steps),
  ...[5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7].map(time),
  ...[1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10].map(time),
];

/** Index of the initial speed: 20 µs of virtual time per second. */
export const DEFAULT_PACE = 8;

/** The speed at an index, clamped to the range. */
export function paceAt(index: number): Pace {
  const within = Math.min(PACES.length - 1, Math.max(0, index));
  return PACES[within] ?? steps(1);
}

/** A speed as amount and unit: "20 µs", "of virtual time per second". */
export function paceWords(pace: Pace): { amount: string; unit: string } {
  if (pace.kind === "time") return { amount: duration(pace.ns_per_s), unit: PACE.perSecond };
  const { steps_per_s } = pace;
  return { amount: PACE.steps(steps_per_s), unit: PACE.perSecond };
}

/** How playback chooses its speed: by events, or a fixed amount of virtual time a second. */
export type Tempo = "events" | "clock";

/** Reading speeds relative to normal, slowest first. */
export const TEMPOS = [0.25, 0.5, 1, 2, 4, 8, 16] as const;

/** Index of the initial tempo. */
export const DEFAULT_TEMPO = 2;

/** The tempo at an index, clamped to the range. */
export const tempoAt = (index: number): number =>
  TEMPOS[Math.min(TEMPOS.length - 1, Math.max(0, index))] ?? 1;

/** A tempo in words: "normal", "2 × as fast". */
export function tempoWords(index: number): string {
  const tempo = tempoAt(index);
  if (tempo === 1) return "reading pace";
  return tempo > 1 ? `${tempo} × as fast` : `${1 / tempo} × slower`;
}
