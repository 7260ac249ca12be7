// Ready-made pairs: one experiment with two values of a tunable.

import type { Pair } from "../../app/pair/pair";
import type { Refusal } from "../../engine/types";
import { bareLink, type Presets } from "../../link/link";
import { READY } from "./words";

/** A ready-made experiment that both machines run, and the tunable in which they differ. */
export interface ReadyPair {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly preset: string;
  readonly tunable: string;
  readonly values: { readonly a: string; readonly b: string };
}

/** All ready-made pairs. */
export const READY_PAIRS: readonly ReadyPair[] = [
  {
    id: "two-lrus",
    title: READY.twoLrus,
    about: READY.aboutTwoLrus,
    preset: "hot-set-and-stream.teach",
    tunable: "lru_gen.enabled",
    values: { a: "0", b: "7" },
  },
];

/** The experiment of one machine of a pair. */
function experimentOf({ preset, tunable }: ReadyPair, value: string, presets: Presets): string {
  const experiment = JSON.parse(presets[preset] ?? "{}");
  const tunables = { ...experiment.tunables, [tunable]: value };
  return JSON.stringify({ ...experiment, id: "", tunables });
}

/** Opens both machines of a pair; returns why one of them did not open. */
export async function openReadyPair(
  pair: Pair,
  presets: Presets,
  ready: ReadyPair,
): Promise<readonly Refusal[]> {
  for (const side of ["a", "b"] as const) {
    const experiment = experimentOf(ready, ready.values[side], presets);
    const refusals = await pair.open(side, bareLink(experiment));
    pair.setFault(side, refusals);
    if (refusals.length > 0) return refusals;
  }
  pair.realign();
  return [];
}
