import { expect, test } from "vitest";
import { loadEngine, measureNow, presetJson, textCalls } from "../../engine/loaded.test-support";
import { scoreOf } from "../../engine/report";
import { comparedRows } from "../../lessons/full-size";
import { loadPublications } from "../../lessons/publications";
import { readFragment, writeFragment } from "../../link/router";
import { columnsOf, experimentIn, moved, TWO_LRUS, withColumns } from "./columns";
import { isSpokenOf } from "./sizes";
import { markOf, valueWords } from "./words";

const tables = (await loadPublications()).tables;
const table = tables.find(({ id }) => id === "fsmark");
if (!table) throw new Error("there is no table fsmark");

test("uses the columns of the table without a request", () => {
  expect(columnsOf(table, null)).toEqual({ columns: table.kernels, unknown: [] });
  expect(withColumns(table, table.kernels)).toBe(table);
});

test("published values follow their column, and other columns have none", () => {
  const [first = "", second = ""] = table.kernels;
  const asked = [second, "5.15+throttle-writeback", first];
  const { columns, unknown } = columnsOf(table, asked);
  expect(columns).toEqual(asked);
  expect(unknown).toEqual([]);
  const row = withColumns(table, columns).rows[0];
  const values = table.rows[0]?.values ?? [];
  expect(row?.values).toEqual([values[1], Number.NaN, values[0]]);
});

test("columns of unknown kernels are omitted and named", () => {
  const [first = "", second = ""] = table.kernels;
  expect(columnsOf(table, [first, "9.9", second])).toEqual({
    columns: [first, second],
    unknown: ["9.9 (no kernel 9.9)"],
  });
  expect(columnsOf(table, ["9.9", first]).columns).toEqual(table.kernels);
});

test.each([
  ["6.12+=7", "(=7 is not a tunable with a value)"],
  ["6.12+lru_gen.enabled=", "(lru_gen.enabled= is not a tunable with a value)"],
  ["6.12+nonsense=1", "(no tunable nonsense)"],
  ["6.12+nonsense", "(no patch nonsense)"],
  ["6.12+", "(no patch )"],
])("the column %s is omitted, and the reason is given", (column, reason) => {
  const [first = "", second = ""] = table.kernels;
  const { columns, unknown } = columnsOf(table, [first, column, second]);
  expect(columns).toEqual([first, second]);
  expect(unknown).toEqual([`${column} ${reason}`]);
});

test("a column decides the kernel, patches and tunables of its experiment", () => {
  const preset = JSON.stringify({ kernel: "3.0", patches: ["c"], tunables: { x: "1", y: "2" } });
  const read = (column: string) => experimentIn(preset, column);
  const own = { patches: ["c"], tunables: { x: "1", y: "2" } };
  expect(read("5.15")).toEqual({ ...own, kernel: "5.15" });
  expect(read("5.15+a+b")).toEqual({ ...own, kernel: "5.15", patches: ["a", "b"] });
  expect(read("6.12+y=7+a")).toEqual({
    kernel: "6.12",
    patches: ["a"],
    tunables: { x: "1", y: "7" },
  });
});

test("the address keeps the columns of the two LRU implementations", () => {
  const address = { page: "report", table: "fsmark", columns: TWO_LRUS } as const;
  expect(readFragment(writeFragment(address))).toEqual(address);
  expect(columnsOf(table, TWO_LRUS)).toEqual({ columns: TWO_LRUS, unknown: [] });
});

test("compares all rows of the small machine if nothing is published for the columns", () => {
  const spoken = (columns: readonly string[]) =>
    withColumns(table, columns).rows.filter(isSpokenOf(withColumns(table, columns), "teach"))
      .length;
  expect(spoken(TWO_LRUS)).toBe(table.rows.length);
  expect(spoken([...TWO_LRUS, table.kernels[0] ?? ""])).toBe(1);
});

test("the two LRU columns run one workload, with classic lists and with generations", () => {
  const ends = TWO_LRUS.map((column) => {
    const experiment = JSON.stringify(experimentIn(presetJson("fsmark.teach"), column));
    const measured = measureNow(loadEngine(), 0, { experiment, moments: [{ kind: "end" }] });
    if (measured.kind === "refused") throw new Error(measured.refusals[0]?.reason);
    return measured.snapshots[0]?.view;
  });
  expect(ends.map((end) => (end?.generations.length ?? 0) > 0)).toEqual([false, true]);
  expect(ends.map((end) => end?.position.ended)).toEqual([true, true]);
});

test("moves a column by one place, but not beyond an end", () => {
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b", "c"], 2, -1)).toEqual(["a", "c", "b"]);
  expect(moved(["a", "b", "c"], 2, 1)).toEqual(["a", "b", "c"]);
});

test("a column without published values is shown but not scored", () => {
  const columns = [table.kernels[0] ?? "", "5.15+throttle-writeback", table.kernels[1] ?? ""];
  const own = withColumns(table, columns);
  const rows = comparedRows(own, {}).map((row) => ({ ...row, simulated: [1, 2, 3] }));
  const { cells } = scoreOf(textCalls(), rows);
  for (const [i, row] of cells.entries()) {
    expect(row[0]).toBe("baseline");
    expect(row[1]).toBe(rows[i]?.unscored === undefined ? "unpublished" : row[1]);
    expect(row[2]).not.toBe("unpublished");
  }
  expect(markOf("unpublished").words).toBe("not published");
  expect(valueWords(Number.NaN)).toBe("–");
});
