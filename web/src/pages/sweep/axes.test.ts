import { expect, test } from "vitest";
import { type AxisRow, type FileValues, pathOf, rowOf, valuesOf } from "./axes";
import { definitionOf, fileOf, rowFault } from "./definition";

const row = (kind: AxisRow["kind"], text: string, name = ""): AxisRow => ({ kind, name, text });

test("reads lists, ranges and sets of patches", () => {
  expect(valuesOf(row("seed", "1 to 8"))).toEqual({ from: 1, to: 8 });
  expect(valuesOf(row("seed", " 1 - 9 step 2 "))).toEqual({ from: 1, to: 9, step: 2 });
  expect(valuesOf(row("kernel", "3.0, 6.1"))).toEqual(["3.0", "6.1"]);
  expect(valuesOf(row("tunable", "0, 60, madvise, true", "x"))).toEqual([0, 60, "madvise", true]);
  expect(valuesOf(row("patches", "none; a; a + b"))).toEqual([[], ["a"], ["a", "b"]]);
  expect(valuesOf(row("path", '[{"a": 1}, null]', "machine"))).toEqual([{ a: 1 }, null]);
  expect(valuesOf(row("seed", ""))).toEqual([]);
});

test("a row read from a file gives the same file again", () => {
  const axes: readonly (readonly [string, FileValues])[] = [
    ["seed", { from: 1, to: 8 }],
    ["seed", { from: 1, to: 8, step: 3 }],
    ["seed", [5, 1, 3]],
    ["kernel", ["3.0", "6.1"]],
    ["patches", [[], ["traceonly"], ["traceonly", "obeysync"]]],
    ["tunables.vm.swappiness", [0, 60]],
    ["tunables.vm.lowmem_reserve_ratio", ["256 256 32", "1 1 1"]],
    ["tunables.vm.swappiness", ["60"]],
    ["machine", ["x86_64-2node", { id: "own" }]],
    ["machine.nodes[0].cpus", [1, 2]],
    ["workload.title", ["a, b", "1 to 2"]],
  ];
  for (const [path, values] of axes) {
    const read = rowOf(path, values);
    expect([pathOf(read), valuesOf(read)]).toEqual([path, values]);
  }
});

test("a form gives the same file that it was read from", () => {
  const file = {
    experiment: "anon-hog.teach",
    axes: { kernel: ["3.0", "6.1"], seed: { from: 1, to: 8 }, "tunables.vm.swappiness": [0, 60] },
    figures: ["pgscan_direct", "Elapsed time"],
  };
  const read = definitionOf(JSON.stringify(file));
  expect(JSON.parse(fileOf(read))).toEqual(file);
  expect(rowFault(read.rows)).toBeNull();
});

test("names the error in a file and its position", () => {
  const faults: readonly (readonly [text: string, fault: string])[] = [
    ["[]", "line 1, column 1: A sweep is a JSON object with the fields experiment and axes."],
    ["{}", "line 1, column 1: experiment: This field is missing."],
    ['{"experiment": 1}', "line 1, column 16: experiment: The id of a ready-made experiment"],
    ['{"experiment": "a", "axes": []}', "line 1, column 29: axes: An object is needed"],
    [
      '{"experiment": "a",\n "axes": {"seed": 3}}',
      "line 2, column 19: axes.seed: A list of values is needed",
    ],
    ['{"experiment": "a", "axes": {"seed": {"from": 1}}}', "axes.seed"],
    ['{"experiment": "a", "axis": {}}', "axis: This field is unknown."],
    ['{"experiment": "a", "figures": "b"}', "figures: A list of names is needed."],
    ['{"experiment": "a",\n}', "line 2, column 1: "],
    ["", "line 1, column 1: Expected"],
  ];
  for (const [text, fault] of faults) expect(() => definitionOf(text)).toThrow(fault);
});

test("names the rows of a form that do not give a valid file", () => {
  const seed = row("seed", "1");
  expect(rowFault([seed, seed])).toContain("seed");
  expect(rowFault([row("tunable", "1")])).toContain("no name");
});
