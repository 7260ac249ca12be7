import { expect, test } from "vitest";
import { loadEngine, openText, presetJson } from "../engine/loaded.test-support";
import { fallbacksUpTo } from "./fallbacks";

test("remembers the first fallback to another node even after going back in the run", () => {
  const engine = loadEngine();
  expect(openText(engine, 0, presetJson("fsmark.teach")).kind).toBe("checked");
  const start = engine.view(0, undefined);
  expect(fallbacksUpTo([], start)).toEqual([]);
  engine.run(0, 400_000, 400_000, undefined);
  const found = fallbacksUpTo([], engine.view(0, undefined));
  expect(found.length).toBeGreaterThan(0);
  expect(fallbacksUpTo(found, start)).toBe(found);
  const [first] = found;
  // The named step is the one after which the fallback is first known.
  const again = loadEngine();
  openText(again, 0, presetJson("fsmark.teach"));
  const at = (step: number) => {
    again.run(0, step, step, undefined);
    return fallbacksUpTo([], again.view(0, undefined)).filter(({ node }) => node === first?.node);
  };
  expect(at((first?.step ?? 0) - 1)).toEqual([]);
  expect(at(first?.step ?? 0)).toEqual([first]);
  expect(first?.zone.startsWith(`${first.node}/`)).toBe(false);
  engine.free();
  again.free();
});
