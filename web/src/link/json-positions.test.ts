import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldsIn, placeAt, scanJson } from "./json-positions";

test("accepts exactly the texts that JSON.parse accepts", () => {
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
      // JSON.parse accepts a key twice in an object; the scanner refuses it as a mistake.
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
  // For a field that is not written, the place where it would be.
  ["machine.nodes[0].ranges[1].start", 7, 5],
  ["seed", 1, 1],
])("finds %s in line %i, column %i", (path, line, column) => {
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
  ['{"a": "b', 1, 7, "closing double quotes"],
  ['"b', 1, 1, "closing double quotes"],
])("finds the error of %s in line %i, column %i", (text, line, column, reason) => {
  const scanned = scanJson(text);
  if (scanned.ok) throw new Error("it was taken");
  expect(placeAt(text, scanned.at)).toEqual({ line, column });
  expect(scanned.reason).toContain(reason);
});

test("does not confuse a key that contains a dot with a field of another", () => {
  expect(scanJson('{"a": {"b": 1}, "a.b": 2}').ok).toBe(true);
});

test("refuses a text with very many values before they fill the memory", () => {
  const scanned = scanJson(`[0${",0".repeat(1_200_000)}]`);
  expect(scanned).toMatchObject({ ok: false, reason: expect.stringContaining("too many values") });
});

test("refuses a key longer than any field name, whatever its value is", () => {
  const long = "k".repeat(16_500);
  const text = `{\n "${long}": [0${",0".repeat(14_000)}]}`;
  expect(scanJson(text)).toEqual({
    ok: false,
    at: 3,
    reason: "This field name has 16,500 characters; the limit is 256.",
  });
  expect(placeAt(text, 3)).toEqual({ line: 2, column: 2 });
});

test("memory for a text does not grow with the length of the names around its values", () => {
  // Storing the full path of each value would take 2 GB.
  const name = "k".repeat(250);
  const nested = `{"${name}": `.repeat(10);
  const text = `${nested}[0${",0".repeat(900_000)}]${"}".repeat(10)}`;
  const path = `${Array(10).fill(name).join(".")}[900000]`;
  expect(fieldsIn(text)(path)).toEqual({ line: 1, column: text.length - 10 - 1 });
});

test("looks up a path of any length without trying every way to split it", () => {
  const placeOf = fieldsIn('{"a": {"a": {"a": 1}}, "a.a": {"a": 2}}');
  expect(placeOf("a.a.a".repeat(100_000))).not.toBeNull();
  expect(placeOf("[".repeat(100_000))).toEqual({ line: 1, column: 1 });
  expect(placeOf("x".repeat(1_000_000))).toEqual({ line: 1, column: 1 });
});

/** Every value inside a JSON value by its path, in text order. */
function pathsOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, one]) => {
    if (Array.isArray(value)) return pathsOf(one, `${path}[${key}]`);
    return pathsOf(one, path === "" ? key : `${path}.${key}`);
  });
  return [path, ...inside];
}

test("finds every value by its path, including names with dots and brackets", () => {
  const key = fc.stringMatching(/^[ab][ab.[\]0]{0,3}$/);
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.nat(9),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const paths = pathsOf(value);
      // Names with dots can give two values the same path; either is correct.
      if (new Set(paths).size < paths.length) return;
      const text = JSON.stringify(value);
      const placeOf = fieldsIn(text);
      for (const path of paths) {
        const { column } = placeOf(path) ?? { column: 0 };
        const rest = text.slice(column - 1);
        const found = pathsOf(value).indexOf(path);
        expect(rest.startsWith(JSON.stringify(valueAt(value, found))), `${text} ${path}`).toBe(
          true,
        );
      }
    }),
  );
});

/** The n-th value of the text. */
function valueAt(value: unknown, n: number): unknown {
  const all: unknown[] = [];
  const visit = (one: unknown) => {
    all.push(one);
    if (typeof one === "object" && one !== null) Object.values(one).forEach(visit);
  };
  visit(value);
  return all[n];
}
