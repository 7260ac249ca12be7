import { expect, test } from "vitest";
import { type Flow, joinSmall, layOutFlow, OTHERS } from "./flow";

const SIZE = { width: 300, whole: 100, node: 10, gap: 5, slot: 26 };
const FLOWS: Flow[] = [
  { path: ["a", "kswapd0", "file log"], amount: 60 },
  { path: ["a", "a", "b"], amount: 10 },
  { path: ["b", "kswapd0", "a"], amount: 30 },
];

const sum = (list: readonly { amount: number }[]) => list.reduce((all, one) => all + one.amount, 0);

test("the nodes of each column and the bands between columns add up to the total", () => {
  const { nodes, bands } = layOutFlow(FLOWS, SIZE);
  for (const column of [0, 1, 2]) {
    expect(sum(nodes.filter((node) => node.column === column))).toBe(100);
  }
  for (const column of [0, 1]) {
    expect(sum(bands.filter((band) => band.column === column))).toBe(100);
  }
});

test("heights are proportional to amounts, and labels of a column do not overlap", () => {
  const { nodes, height } = layOutFlow(FLOWS, SIZE);
  for (const { amount, height } of nodes) expect(height).toBeCloseTo(amount);
  for (const column of [0, 1, 2]) {
    const own = nodes.filter((node) => node.column === column);
    const amounts = own.map(({ amount }) => amount);
    expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
    for (const [i, node] of own.entries()) {
      const next = own[i + 1];
      const slot = (one: { height: number }) => Math.max(one.height, SIZE.slot);
      const middle = (one: { y: number; height: number }) => one.y + one.height / 2;
      const apart = next && middle(next) - middle(node);
      if (next) expect(apart).toBeCloseTo((slot(node) + slot(next)) / 2 + SIZE.gap);
      expect(node.y + node.height).toBeLessThanOrEqual(height + 0.001);
    }
  }
});

test("joins small nodes to one node at the end and loses no amount", () => {
  const many = Array.from({ length: 40 }, (_, i) => ({
    path: [`task ${i}`, "kswapd0"],
    amount: i + 1,
  }));
  const joined = joinSmall(many, 6);
  expect(sum(joined)).toBe(sum(many));
  const { nodes } = layOutFlow(joined, SIZE);
  const first = nodes.filter(({ column }) => column === 0);
  expect(first.map(({ name }) => name)).toEqual([
    "task 39",
    "task 38",
    "task 37",
    "task 36",
    "task 35",
    OTHERS,
  ]);
});

test("omits flows without an amount and draws nothing without flows", () => {
  expect(layOutFlow([{ path: ["a", "b"], amount: 0 }], SIZE)).toEqual({
    height: 0,
    nodes: [],
    bands: [],
  });
  expect(layOutFlow([], SIZE)).toEqual({ height: 0, nodes: [], bands: [] });
});
