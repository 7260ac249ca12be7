import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldsIn, placeAt, scanJson } from "./json-place";

test("takes what JSON.parse takes, and only that", () => {
  const text = fc.oneof(
    fc.json({ maxDepth: 5 }),
    fc.string(),
    fc
      .json({ maxDepth: 3 })
      .chain((json) => fc.nat(json.length).map((at) => json.slice(0, at) + json.slice(at + 1))),
  );
  fc.assert(
    fc.property(text, (json) => {
      let isJson = true;
      try {
        JSON.parse(json);
      } catch {
        isJson = false;
      }
      const scanned = scanJson(json);
      // JSON.parse lets a key come twice; nobody means that.
      if (!scanned.ok && scanned.reason.endsWith("twice.")) return;
      expect(scanned.ok, json).toBe(isJson);
    }),
    { numRuns: 500 },
  );
});

const EXPERIMENT = `{
  "kernel": "3.0",
  "tunables": {
    "vm.min_free_kbytes": "banana"
  },
  "machine": { "nodes": [ { "ranges": [ { "pages": 12 },
    { "pages": 13 } ] } ] }
}`;

test.each([
  ["kernel", 2, 13],
  ["tunables.vm.min_free_kbytes", 4, 27],
  ["machine.nodes[0].ranges[1].pages", 7, 16],
  // What is not written is shown where it would belong.
  ["machine.nodes[0].ranges[1].start", 7, 5],
  ["seed", 1, 1],
])("%s stands in line %i, column %i", (path, line, column) => {
  expect(fieldsIn(EXPERIMENT)(path)).toEqual({ line, column });
});

test.each([
  ['{\n  "a": 1,\n}', 3, 1, "text in double quotes"],
  ['{"a" 1}', 1, 6, "a colon"],
  ['{"a": 1', 1, 8, "a comma or a closing brace"],
  ["[1 2]", 1, 4, "a comma or a closing bracket"],
  ["{} {}", 1, 4, "the end"],
  ['{"a": 01}', 1, 8, "a comma or a closing brace"],
  ['{"a": 1, "a": 2}', 1, 10, "twice"],
  ["[".repeat(40), 1, 34, "too deep"],
  ['"vm.min_free_kbytes": 256', 1, 21, "the end"],
  ['{"a": "b', 1, 7, "ends with double quotes"],
  ['"b', 1, 1, "ends with double quotes"],
])("%s goes wrong in line %i, column %i", (text, line, column, reason) => {
  const scanned = scanJson(text);
  if (scanned.ok) throw new Error("it was taken");
  expect(placeAt(text, scanned.at)).toEqual({ line, column });
  expect(scanned.reason).toContain(reason);
});

test("a key with a dot is not the field of another", () => {
  expect(scanJson('{"a": {"b": 1}, "a.b": 2}').ok).toBe(true);
});

test("a text of very many values is refused before they fill the memory", () => {
  const scanned = scanJson(`[0${",0".repeat(1_200_000)}]`);
  expect(scanned).toMatchObject({ ok: false, reason: expect.stringContaining("more values") });
});
