// Ready-made pairs: one experiment with two values of a tunable.

import type { Pair, Side } from "../../app/pair/pair";
import type { Refusal } from "../../engine/types";
import { bareLink, type Presets } from "../../link/link";
import { linkFrom, withChange } from "./setup";
import { READY } from "./words";

/** A ready-made experiment that both machines run, and the tunable in which they differ. */
export interface ReadyPair {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly preset: string;
  readonly tunable: string;
  readonly values: Readonly<Record<Side, string>>;
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

/** The machine that did not open, and why. */
export interface Refused {
  readonly side: Side;
  readonly refusals: readonly Refusal[];
}

/**
 * Opens both machines of a pair. If one of them does not open, both keep their experiments, and the
 * result says why. If B does not open, A is opened again at its earlier moment; the first divergence
 * and the range of the counters are then lost. The result also says if A does not open again.
 */
export async function openReadyPair(
  pair: Pick<Pair, "a" | "open" | "realign">,
  presets: Presets,
  { preset, tunable, values }: ReadyPair,
): Promise<Refused | null> {
  const json = presets[preset];
  if (json === undefined) {
    return { side: "a", refusals: [{ path: "preset", reason: READY.noPreset(preset) }] };
  }
  const { tunables } = JSON.parse(json) as { readonly tunables?: Record<string, string> };
  const open = (side: Side) => {
    const change = { tunables: { ...tunables, [tunable]: values[side] } };
    return pair.open(side, bareLink(withChange(json, change, presets)));
  };
  const { packed } = pair.a.store.getState();
  const inA = await open("a");
  if (inA.length > 0) return { side: "a", refusals: inA };
  const inB = await open("b");
  if (inB.length === 0) {
    pair.realign();
    return null;
  }
  const before = packed === null ? null : linkFrom(packed, presets);
  if (!before) return { side: "b", refusals: inB };
  const again = "experiment" in before ? await pair.open("a", before) : [before];
  return again.length === 0
    ? { side: "b", refusals: inB }
    : { side: "a", refusals: [{ path: "", reason: READY.notRestored }, ...again, ...inB] };
}
