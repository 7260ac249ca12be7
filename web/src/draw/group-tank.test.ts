import { describe, expect, it } from "vitest";
import { GROUP_STATES, groupTankLayout } from "./group-tank";
import { STATES } from "./states";

const states = (pages: Readonly<Record<number, number>>) => STATES.map((_, i) => pages[i] ?? 0);
const none = { max: null, high: null, low: 0, min: 0 };

describe("the tank of a memory cgroup", () => {
  it("stacks clean file pages above anonymous pages, up to the usage", () => {
    const { stack, usage_y, advance_pages } = groupTankLayout(
      { ...none, usage: 100, states: states({ 1: 40, 4: 30, 5: 20 }) },
      0,
      110,
    );
    expect(stack.map(({ state }) => state)).toEqual([1, 5, 4]);
    expect(stack[0]).toEqual({ state: 1, y: 70, height: 40 });
    expect(stack[2]?.y).toBe(20);
    expect(usage_y).toBe(10);
    expect(advance_pages).toBe(10);
  });

  it("marks only limits that are set and says which of them are reached", () => {
    const { marks } = groupTankLayout(
      { usage: 60, max: 100, high: 60, low: 20, min: 0, states: states({}) },
      0,
      110,
    );
    expect(marks.map(({ name, is_reached }) => [name, is_reached])).toEqual([
      ["max", false],
      ["high", true],
      ["low", true],
    ]);
  });

  it("keeps labels of equal limits apart", () => {
    const { marks } = groupTankLayout(
      { usage: 0, max: 100, high: 100, low: 100, min: 100, states: states({}) },
      0,
      110,
    );
    const labels = marks.map(({ label_y }) => label_y);
    for (const [i, label] of labels.slice(1).entries()) {
      expect(label - (labels[i] ?? 0)).toBeGreaterThanOrEqual(12);
    }
  });

  it.each([
    ["usage", { ...none, usage: 500, max: 100, states: states({ 1: 480 }) }],
    ["limit", { ...none, usage: 5, max: 500, states: states({ 1: 4 }) }],
    ["sum of the states", { ...none, usage: 90, max: 100, states: states({ 1: 300, 4: 200 }) }],
  ])("keeps everything inside the tank if the %s is the largest amount", (_, input) => {
    const { stack, usage_y, marks, scale_pages } = groupTankLayout(input, 4, 104);
    expect(scale_pages).toBe(550);
    for (const y of [usage_y, ...stack.map((part) => part.y), ...marks.map((mark) => mark.y)]) {
      expect(y).toBeGreaterThanOrEqual(4);
      expect(y).toBeLessThanOrEqual(104);
    }
  });

  it("shows each state except free pages, which no cgroup has", () => {
    expect([...GROUP_STATES].sort((a, b) => a - b)).toEqual(STATES.map((_, i) => i).slice(1));
  });
});
