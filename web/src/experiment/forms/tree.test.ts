import { describe, expect, test } from "vitest";
import { edited, redone, undone, unedited } from "../edits";
import { refusalsByField } from "./field-refusals";
import { fieldText, inWords, parsed } from "./fields";
import { at, moved, pathText, renumbered, withAt } from "./tree";

describe("a tree", () => {
  const tree = { a: [{ b: 1 }, { b: 2 }], moon: { c: true } };

  test("changes only at the edited path", () => {
    const next = withAt(tree, ["a", 1, "b"], 3);
    expect(next).toEqual({ a: [{ b: 1 }, { b: 3 }], moon: { c: true } });
    expect(at(next, ["moon"])).toBe(tree.moon);
    expect(at(next, ["a", 0])).toBe(tree.a[0]);
  });

  test("loses an item or a field that is removed", () => {
    expect(withAt(tree, ["a", 0], undefined)).toEqual({ a: [{ b: 2 }], moon: { c: true } });
    expect(withAt(tree, ["moon", "c"], undefined)).toEqual({ ...tree, moon: {} });
  });

  test("writes paths as the engine does", () => {
    expect(pathText(["workload", "processes", 0, "program", 2, "do", 1, "op"])).toBe(
      "workload.processes[0].program[2].do[1].op",
    );
  });

  test("moves items within their list only", () => {
    expect(moved([1, 2, 3], 0, 1)).toEqual([2, 1, 3]);
    expect(moved([1, 2, 3], 2, -1)).toEqual([1, 3, 2]);
    expect(moved([1, 2, 3], 0, -1)).toEqual([1, 2, 3]);
    expect(moved([1, 2, 3], 2, 1)).toEqual([1, 2, 3]);
  });

  test("keeps moved items unfolded", () => {
    const open = new Set(["l[0]", "l[1].do[0]", "l[2]", "other[1]"]);
    const without = renumbered(open, "l", (i) => (i === 1 ? null : i > 1 ? i - 1 : i));
    expect([...without]).toEqual(["l[0]", "l[1]", "other[1]"]);
    const swapped = renumbered(open, "l", (i) => (i === 1 ? 2 : i === 2 ? 1 : i));
    expect([...swapped].sort()).toEqual(["l[0]", "l[1]", "l[2].do[0]", "other[1]"]);
  });
});

describe("a field", () => {
  const pages = { as: { kind: "pages" } } as const;
  const pfn = { as: { kind: "pfn" } } as const;

  test("reads sizes with their unit for machines of either page size", () => {
    expect(parsed(pages, "64 MiB", 4096)).toBe(16384);
    expect(parsed(pages, "64 MiB", 65536)).toBe(1024);
    expect(parsed(pages, "16,384", 4096)).toBe(16384);
    expect(parsed(pfn, "4 GiB", 4096)).toBe(0x100000);
    expect(parsed(pfn, "0x100000", 4096)).toBe(0x100000);
    expect(parsed({ as: { kind: "kib" } }, "2 GiB", 4096)).toBe(2 * 1024 * 1024);
    expect(parsed({ as: { kind: "rate" } }, "110 MB/s", 4096)).toBe(110_000_000);
  });

  test("writes a rate with three figures in the unit of its size", () => {
    const words = (value: number) => inWords({ as: { kind: "rate" } }, value, 4096);
    expect(words(35_000_000)).toBe("35.0 MB/s");
    expect(words(145_000_000)).toBe("145 MB/s");
    expect(words(8_440_000_000)).toBe("8.44 GB/s");
    expect(words(15_270_000_000)).toBe("15.3 GB/s");
    expect(words(10_000_000_000_000)).toBe("10,000 GB/s");
  });

  test("passes a meaningless text on to the engine as typed", () => {
    expect(parsed(pages, "64 M", 4096)).toBe("64 M");
    expect(parsed(pages, "1 B", 4096)).toBe("1 B");
    expect(parsed({ as: { kind: "number" } }, "many", 4096)).toBe("many");
  });

  test("is left out if it is optional and empty", () => {
    expect(parsed({ ...pages, usual: "0" }, " ", 4096)).toBeUndefined();
    expect(parsed(pages, " ", 4096)).toBe("");
  });

  test("shows values that it reads back unchanged", () => {
    for (const [as, value] of [
      [{ kind: "pfn" }, 0x52fcb],
      [{ kind: "pages" }, 4096],
      [{ kind: "names" }, ["one", "two"]],
      [{ kind: "flag", yes: "", no: "" }, false],
      [{ kind: "size" }, "54% of node"],
      [{ kind: "size" }, 64],
    ] as const) {
      expect(parsed({ as }, fieldText({ as }, value), 4096)).toEqual(value);
    }
    expect(inWords(pages, 4096, 4096)).toMatch(/^4,096 pages, 16.MiB$/);
  });
});

describe("a refusal", () => {
  const has = (path: string) => ["machine", "machine.nodes[0].ranges[1]", "seed"].includes(path);

  test("appears at its path or at the nearest enclosing path, with its position in the text", () => {
    const { faults, rest } = refusalsByField(
      [
        { path: "seed", reason: "too large" },
        { path: "machine.nodes[0].ranges[1]", reason: "overlaps" },
        { path: "machine.nodes[0].ranges[1].moon", reason: "is unknown" },
        { path: "machine.zones[2]", reason: "is wrong" },
        { path: "interventions[0].at", reason: "is late" },
      ],
      has,
    );
    expect(Object.fromEntries(faults)).toEqual({
      seed: "too large",
      "machine.nodes[0].ranges[1]": "overlaps; machine.nodes[0].ranges[1].moon: is unknown",
      machine: "machine.zones[2]: is wrong",
    });
    expect(rest.map(({ path }) => path)).toEqual(["interventions[0].at"]);
  });
});

describe("undo", () => {
  test("reverts all successive edits of a field at once, and redo repeats them", () => {
    let edits = unedited("0");
    for (const text of ["1", "12", "123"]) edits = edited(edits, text, "seed");
    edits = edited(edits, "123 a", "title");
    edits = undone(edits);
    expect(edits.text).toBe("123");
    edits = undone(edits);
    expect(edits.text).toBe("0");
    expect(undone(edits).text).toBe("0");
    edits = redone(redone(edits));
    expect(edits.text).toBe("123 a");
    expect(edited(undone(edits), "9", "title").future).toEqual([]);
  });
});
