// Each question's run shows what the question asks, and ends while it is still visible.

import { expect, test } from "vitest";
import { presetJson, readNow, TestBench } from "../../engine/loaded.test-support";
import type { View } from "../../engine/types";
import { QUESTIONS } from "./questions";

test.each(QUESTIONS)("$question", ({ preset }) => {
  expect(readNow(presetJson(preset)).kind).toBe("checked");
});

const countIn = ({ counters }: View, name: string) =>
  counters.find(([counter]) => counter === name)?.[1] ?? 0;
const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0);
const freeIn = ({ zones }: View) => sum(zones.map(({ free }) => free));
const managedIn = ({ zones }: View) => sum(zones.map(({ managed }) => managed));

/** What must have happened by the end of each question's run. */
const SHOWS: Readonly<Record<string, (end: View) => void>> = {
  "Where does the next page come from when a node is full?": (end) => {
    expect(countIn(end, "numa_miss")).toBeGreaterThan(0);
    expect(end.nodes.some(({ first_fallback }) => first_fallback !== null)).toBe(true);
  },
  "What happens when a reader streams more than memory?": (end) => {
    expect(countIn(end, "pgsteal_kswapd")).toBeGreaterThan(managedIn(end));
    expect(freeIn(end) * 10).toBeLessThan(managedIn(end));
  },
  "What goes to swap when memory is not enough?": (end) => {
    expect(countIn(end, "pswpout")).toBeGreaterThan(0);
    expect(countIn(end, "pswpin")).toBeGreaterThan(0);
    expect(end.writeback.swap_used).toBeGreaterThan(0);
  },
  "Why must a writer wait for the disk?": (end) => {
    expect(countIn(end, "nr_dirtied")).toBeGreaterThan(end.writeback.limit);
    expect(end.tasks.some(({ function: name }) => name === "balance_dirty_pages")).toBe(true);
  },
  "What changes when the watermarks change?": (end) => {
    expect(sum(end.nodes.map(({ kswapd_wakes }) => kswapd_wakes))).toBeGreaterThan(0);
    expect(countIn(end, "pgsteal_kswapd")).toBeGreaterThan(0);
    expect(freeIn(end) * 10).toBeLessThan(managedIn(end));
  },
  "How do kernel pages end up between user pages?": (end) => {
    const kernel = end.zones.filter(({ states }) => (states[SLAB] ?? 0) > 0);
    const isShared = kernel.map(({ states }) => (states[ANON_INACTIVE] ?? 0) > 0);
    expect(isShared).toEqual(end.zones.map(() => true));
    expect(freeIn(end) * 20).toBeLessThan(managedIn(end));
  },
  "What happens when memory really runs out?": (end) => {
    expect(countIn(end, "oom_kill")).toBe(1);
    expect(freeIn(end) * 2).toBeGreaterThan(managedIn(end));
    expect(end.panic).toBeNull();
  },
  "Why is a container killed while the machine has free memory?": (end) => {
    const [shop] = end.groups;
    expect(shop?.events.oom_kill).toBe(1);
    expect(shop?.processes.map(({ name }) => name)).toEqual(["reader/1"]);
    expect(freeIn(end) * 3).toBeGreaterThan(managedIn(end));
    expect(countIn(end, "pgsteal_kswapd")).toBe(0);
  },
};
/** Indices of states in a zone's page counts. */
const ANON_INACTIVE = 2;
const SLAB = 8;

test.each(QUESTIONS)(
  "the run shows the answer: $question",
  ({ question, preset }) => {
    const shows = SHOWS[question];
    if (!shows) throw new Error("nothing is said of what this question's run shows");
    const bench = new TestBench();
    bench.openPreset(preset);
    bench.send({ kind: "end" });
    const { view } = bench.frame;
    expect(view.position.ended).toBe(true);
    shows(view);
  },
  60_000,
);
