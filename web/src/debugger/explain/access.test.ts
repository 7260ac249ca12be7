// Accesses of threads on two nodes: all are local until one thread is moved. After that some are
// remote, and each record has its cost.

import { expect, test } from "vitest";
import { loadEngine, openText, presetJson } from "../../engine/loaded.test-support";
import { ACCESS_RECORDS, Accesses, queuesBetween } from "./access";
import { lookingInto, recordsUpTo } from "./looking.test-support";
import { findAccess } from "./search";

const MOVE = { at: "3ms", affinity: { task: "worker/3", node: 0 } };

/** The preset, with one thread moved to the other node early. */
function moved() {
  const engine = loadEngine();
  const experiment = JSON.parse(presetJson("first-touch.threads.teach"));
  openText(engine, 0, JSON.stringify({ ...experiment, interventions: [MOVE] }));
  return lookingInto(engine);
}

test("accesses become remote and cost more after the thread is moved", async () => {
  const looking = moved();
  const all = await recordsUpTo(looking, ACCESS_RECORDS, 60_000);
  const made = all.filter(({ name }) => name.startsWith("Access"));
  const early = made.filter(({ time_ns }) => time_ns < 3_000_000);
  expect(early.length).toBeGreaterThan(500);
  expect(new Set(early.map(({ name }) => name))).toEqual(new Set(["AccessLocal"]));
  const remote = made.filter((record) => record.name === "AccessRemote");
  expect(remote.length).toBeGreaterThan(100);
  expect(new Set(remote.map(({ task }) => task)).size).toBe(1);
  for (const { values } of remote)
    expect(values).toMatchObject({ node: 1, from: 0, bytes: 4096, ns: 610, local: 486 });
});

test("finds the same access near a step as reading all records, with its last wait", async () => {
  const looking = moved();
  const all = await recordsUpTo(looking, ACCESS_RECORDS, 60_000);
  for (const here of [8000, 30_000, 60_000]) {
    const accesses = new Accesses();
    for (const record of all) if (record.step <= here) accesses.take(record);
    for (const task of [null, ...new Set(all.map((record) => record.task))]) {
      const found = await findAccess(looking, here, task);
      const expected = accesses.of(task);
      expect(found?.made.step, `${task} at ${here}`).toBe(expected?.made.step);
      if (found?.waited) expect(found.waited.step).toBe(expected?.waited?.step);
    }
  }
  expect(all.some(({ name }) => name === "MemoryBusy")).toBe(true);
});

test("a remote access uses memory, direction and link, and a local one only memory", () => {
  const link = { direction_busy_ns: 0, direction_queue_ns: 30, link_busy_ns: 0, link_queue_ns: 5 };
  const nodeOf = (id: number, other: number) =>
    ({
      id,
      memory: { bytes: [0, 0], busy_ns: 0, queue_ns: 10 * id, links: [{ ...link, node: other }] },
    }) as unknown as Parameters<typeof queuesBetween>[0][number]; // `wayOf` does not read the other fields of a node
  const nodes = [nodeOf(0, 1), nodeOf(1, 0)];
  expect(queuesBetween(nodes, 1, 1)).toEqual([{ kind: "memory", node: 1, from: 1, queue_ns: 10 }]);
  expect(queuesBetween(nodes, 1, 0).map(({ kind, queue_ns }) => [kind, queue_ns])).toEqual([
    ["memory", 10],
    ["direction", 30],
    ["link", 5],
  ]);
  expect(queuesBetween([], 1, 0)).toEqual([]);
});
