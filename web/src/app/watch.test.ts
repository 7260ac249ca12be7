import { beforeAll, describe, expect, test } from "vitest";
import { catalog, loadEngine, openText, presetJson, viewNow } from "../engine/loaded.test-support";
import { numberIn } from "../engine/worker/searches";
import type { Watch, WatchContext } from "./watch";
import { aboutCounter, resolve, watchWords } from "./watch";

const engine = loadEngine();
let known: WatchContext;

beforeAll(() => {
  const opened = openText(engine, 0, presetJson("anon-hog.teach"));
  if (opened.kind !== "checked") throw new Error(JSON.stringify(opened));
  engine.run(0, 300_000, undefined, undefined);
  known = { catalog, info: opened.opened.info, view: viewNow(engine) };
});

describe("resolving a name to the engine's numbers", () => {
  test("gives the index of each counter that has changed", () => {
    for (const [name, value] of known.view.counters) {
      const watched = resolve({ kind: "counter", name }, known);
      expect(watched, name).not.toBeNull();
      expect(aboutCounter(name, known), name).toMatch(/\.$/);
      if (!watched) continue;
      engine.clear_breakpoints(0);
      const isKnown = engine.add_breakpoint(0, "counter", watched.a, watched.b, "", "=", "");
      expect(isKnown, name).toBe(true);
      // The index belongs to this counter, because its last change gave it its current value.
      if (name !== "pgfault" && name !== "pswpout") continue;
      const { step } = engine.view(0, undefined).position;
      let found = engine.last_change(0, "counter", watched.a, watched.b, step);
      while (!found.done) found = engine.seek_more(0, 100_000);
      const countOf = () => engine.view(0, undefined).counters.find(([n]) => n === name)?.[1] ?? 0;
      expect(countOf(), name).toBe(value);
      for (found = engine.back(0, "step", undefined); !found.done; )
        found = engine.seek_more(0, 100_000);
      expect(countOf(), name).toBeLessThan(value);
      for (found = engine.seek(0, step); !found.done; ) found = engine.seek_more(0, 100_000);
    }
  });

  test.each<Watch>([
    { kind: "function", name: "no_such_function" },
    { kind: "line", name: "rmqueue", line: 99 },
    { kind: "event", name: "no_such_event" },
    { kind: "counter", name: "pgfault_normal" },
    { kind: "free", zone: "7/DMA" },
    { kind: "kswapd", node: 9 },
    { kind: "page", pfn: 0xfffffff, part: "any" },
  ])("returns null for an unknown $kind", (watch) => {
    expect(resolve(watch, known)).toBeNull();
  });
});

test("describes in words what a breakpoint waits for", () => {
  const words = (watch: Watch) => watchWords(watch, (id) => `task ${id}`);
  expect(words({ kind: "line", name: "rmqueue", line: 2 })).toBe("rmqueue, line 3");
  expect(words({ kind: "mark", zone: "0/DMA32", mark: "low" })).toBe(
    "DMA32 on node 0 crosses its low watermark",
  );
  expect(words({ kind: "page", pfn: 0x1234, part: "any" })).toBe("page 0x1234: anything changes");
});

test.each([
  ["1,213", 1213],
  ["0x52fcb", 0x52fcb],
  ["-4", -4],
  ["−4", -4],
  ["low", undefined],
  ["", undefined],
])("reads %s as %s", (text, number) => {
  expect(numberIn(text)).toBe(number);
});
