// Texts about placement decisions: each names a decision of the engine and its fields.

import { expect, test } from "vitest";
import { catalog } from "../engine/loaded.test-support";
import type { View } from "../engine/types";
import { PLACING, placingWords } from "./placing-words";

test("each decision with a text exists in the engine and has the fields in the text", () => {
  for (const [name, words] of Object.entries(PLACING)) {
    const kind = catalog.records.find((record) => record.name === name);
    expect(kind?.kind, name).toBe("decision");
    const fields = kind?.fields.map((field) => field.name) ?? [];
    for (const [, field] of words.matchAll(/\{(\w+)\}/g)) expect(fields, name).toContain(field);
  }
});

const record = (name: string, fields: Readonly<Record<string, number>>) => ({
  name,
  fields: Object.entries(fields).map(([field, value]) => ({
    name: field,
    value,
    text: String(value),
  })),
});

test("decisions of one step name their task once, with their numbers", () => {
  const view = {
    placing: [
      record("SpreadNotSmallest", { task: 4, ours: 3, smallest: 1 }),
      record("BuddiesGo", { task: 4, cpu: 8, node: 1, here: 3, buddies: 5 }),
    ],
    tasks: [{ id: 4, name: "thread/2" }],
  } as unknown as View;
  expect(placingWords(view)).toBe(
    "thread/2 does not spread: its group has 3 here, and the smallest group has 1; moves to its buddies: node 1 has 5, and its own node has 3",
  );
  expect(placingWords({ ...view, placing: [] })).toBe("");
});

test.each([
  ["CompressHere", { ours: 1 }, /^Task 4 .*of the nodes its group does not fill.*\(1\)$/],
  ["BuddiesStay", { here: 1 }, /^Task 4 .*no node with a CPU for it has more buddies.*\(1\)$/],
  ["IdleStay", { here: 0 }, /^Task 4 .*at least two more idle CPUs than its own \(0\)$/],
])("%s names the nodes that were compared", (name, fields, expected) => {
  const view = {
    placing: [record(name, { task: 4, ...fields })],
    tasks: [{ id: 4, name: "Task 4" }],
  };
  expect(placingWords(view as unknown as View)).toMatch(expected);
});
