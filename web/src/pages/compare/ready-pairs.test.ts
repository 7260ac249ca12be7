import { expect, test } from "vitest";
import { presetsOf } from "../../engine/catalog";
import { catalog, readNow } from "../../engine/loaded.test-support";
import type { Refusal } from "../../engine/types";
import { bareLink, type Link, writeLink } from "../../link/link";
import { openReadyPair, READY_PAIRS, type ReadyPair } from "./ready-pairs";

const presets = presetsOf(catalog);
const [ready] = READY_PAIRS;
if (!ready) throw new Error("there is no ready-made pair");
const BEFORE = presets["anon-hog.teach"] ?? "";
const IN_THE_WAY: readonly Refusal[] = [{ path: "kernel", reason: "not today" }];

/** A pair that records what each side has open. */
function pairOf(refusalsOf: (side: "a" | "b") => readonly Refusal[] = () => []) {
  const opened: Record<"a" | "b", string> = { a: BEFORE, b: BEFORE };
  let realigned = 0;
  const pair = {
    a: { store: { getState: () => ({ packed: writeLink(bareLink(BEFORE), presets) }) } },
    open: async (side: "a" | "b", { experiment }: Link) => {
      const refusals = refusalsOf(side);
      if (refusals.length === 0) opened[side] = experiment;
      return refusals;
    },
    realign: () => {
      realigned += 1;
    },
  } as unknown as Parameters<typeof openReadyPair>[0];
  return { pair, opened, aligned: () => realigned };
}

test.each(READY_PAIRS)("the engine accepts both experiments of $id", async (each) => {
  const { pair, opened, aligned } = pairOf();
  expect(await openReadyPair(pair, presets, each)).toBeNull();
  expect(aligned()).toBe(1);
  for (const side of ["a", "b"] as const) {
    expect(JSON.parse(opened[side]).tunables[each.tunable]).toBe(each.values[side]);
    expect(readNow(opened[side]).kind).toBe("checked");
  }
});

test("a refused machine B leaves machine A as it was", async () => {
  const { pair, opened, aligned } = pairOf((side) => (side === "b" ? IN_THE_WAY : []));
  expect(await openReadyPair(pair, presets, ready)).toEqual({ side: "b", refusals: IN_THE_WAY });
  expect(JSON.parse(opened.a)).toEqual(JSON.parse(BEFORE));
  expect(aligned()).toBe(0);
});

test("says so if the earlier experiment of machine A does not open again", async () => {
  let opens = 0;
  const { pair } = pairOf(() => {
    opens += 1;
    return opens === 1 ? [] : IN_THE_WAY;
  });
  const refused = await openReadyPair(pair, presets, ready);
  expect(refused?.side).toBe("a");
  expect(refused?.refusals[0]?.reason).toContain("could not be opened again");
  expect(refused?.refusals.slice(1)).toEqual([...IN_THE_WAY, ...IN_THE_WAY]);
});

test("names a ready-made experiment that does not exist, and opens nothing", async () => {
  const { pair, opened } = pairOf();
  const missing: ReadyPair = { ...ready, preset: "no-such" };
  const refused = await openReadyPair(pair, presets, missing);
  expect(refused?.refusals[0]?.reason).toContain("no-such");
  expect(opened.a).toBe(BEFORE);
});
