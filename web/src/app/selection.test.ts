import { describe, expect, test } from "vitest";
import { catalog, loadEngine, openText, presetJson, viewNow } from "../engine/loaded.test-support";
import { isKey } from "./goals";
import { eventKey, eventKind, isMadeLit, litHovered, litSelected, MOST_KEY } from "./selection";
import { EMPTY_SETUP, fromLinked, setupOf, toLinked } from "./setup";
import { createWorkbenchStore, type Key, type WorkbenchState } from "./store";

const engine = loadEngine();
const opened = openText(engine, 0, presetJson("first-touch.teach"));
if (opened.kind !== "checked") throw new Error("a ready-made experiment opens");
const view = viewNow(engine);
const state = {
  ...createWorkbenchStore().getState(),
  session: { info: opened.opened.info, frame: { view } },
} as unknown as WorkbenchState;

const place = { step: 20_127, kind: 3, task: 7, zone: 2, pfn: 0x52fcb };

describe("selecting an event", () => {
  test("highlights its task, its zone and its page", () => {
    const key = eventKey(place);
    const lit = litSelected({ ...state, selected: [key, "task 7"] });
    const zone = view.zones[2]?.key ?? "";
    expect(lit).toEqual([key, "task 7", `zone ${zone}`, `page ${0x52fcb}`]);
    expect(litHovered({ ...state, hovered: key })).toEqual(lit);
    expect(eventKind(key)).toBe(3);
  });

  test("highlights only its task if it has no zone and no page", () => {
    const key = eventKey({ ...place, zone: -1, pfn: null });
    expect(litSelected({ ...state, selected: [key] })).toEqual([key, "task 7"]);
  });

  test("returns the same list for the same selection, so that nothing is redrawn", () => {
    const selected: Key[] = [eventKey(place)];
    expect(litSelected({ ...state, selected })).toBe(litSelected({ ...state, selected }));
    const hovered = eventKey(place);
    expect(litHovered({ ...state, hovered })).toBe(litHovered({ ...state, hovered }));
  });
});

describe("a link to a selection", () => {
  test("contains functions and events", () => {
    const names = catalog.functions.map(({ name }): Key => `fn ${name}`);
    const longest = eventKey({ step: 2 ** 40, kind: 99, task: 999, zone: 30, pfn: 2 ** 30 });
    for (const key of [...names, longest]) {
      expect(isKey(key)).toBe(true);
      expect(key.length).toBeLessThanOrEqual(MOST_KEY);
    }
    const selected: Key[] = ["fn rmqueue", eventKey(place)];
    const kept = { ...setupOf(state), ...EMPTY_SETUP, selected };
    expect(fromLinked(toLinked(kept)).selected).toEqual(selected);
  });

  test("omits overlong keys instead of being refused", () => {
    const kept = { ...EMPTY_SETUP, selected: [`fn ${"x".repeat(40)}`, "task 1"] as Key[] };
    expect(toLinked(kept).selected).toEqual(["task 1"]);
  });
});

test("a record is highlighted only while its function is selected or hovered", () => {
  const lit = (selected: Key[], hovered: Key | null = null) =>
    isMadeLit("balance_pgdat (zones)", { selected, hovered });
  expect(lit(["fn balance_pgdat (zones)"])).toBe(true);
  expect(lit(["fn rmqueue"], "fn balance_pgdat (zones)")).toBe(true);
  expect(lit(["fn rmqueue"], "fn balance_pgdat")).toBe(false);
  expect(lit(["task 1"], "zone 0/DMA")).toBe(false);
  expect(isMadeLit(null, { selected: ["fn rmqueue"], hovered: null })).toBe(false);
});

describe("records", () => {
  test("belong to the function in which their task was before the step", () => {
    const seen = new Set<string>();
    for (const id of [
      "mixed-types.teach",
      "anon-hog.teach",
      "dirty-writer.teach",
      "fsmark.teach",
    ]) {
      const reading = openText(engine, 0, presetJson(id));
      expect(reading.kind, id).toBe("checked");
      for (let stretch = 0; stretch < 6; stretch += 1) {
        for (const name of walk(300)) seen.add(name);
        engine.run(0, 60_000, undefined, undefined);
      }
    }
    expect(seen.size).toBeGreaterThan(40);
  }, 30_000);
});

/** Takes single steps; returns the records made, and checks each one's function. */
function walk(steps: number): string[] {
  const found: string[] = [];
  let before = viewNow(engine);
  for (let i = 0; i < steps; i += 1) {
    // A task outside all functions runs its program in user mode.
    const inside = new Map(before.tasks.map((task) => [task.id, task.function || "user mode"]));
    engine.step(0, "any", undefined, 1);
    const after = viewNow(engine);
    if (after.position.step !== before.position.step + 1) break;
    for (const { name, task, fn } of [...after.events, ...(after.why ? [after.why] : [])]) {
      // A new task, or one whose step another made, was in no function.
      if (inside.has(task) && fn !== null) expect([name, fn]).toEqual([name, inside.get(task)]);
      found.push(name);
    }
    before = after;
  }
  return found;
}
