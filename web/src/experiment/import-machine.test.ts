import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readNow, textCalls } from "../engine/loaded.test-support";
import { ANY_MACHINE_WORKLOAD, experimentOn, titleOf } from "./import-machine";
import { type ImportReport, readImport } from "./import-report";

const TEXTS = "engine/facts/tests/data/zoneinfo";

function imported(text: string): ImportReport {
  const { ok, refused } = readImport(textCalls().import_zoneinfo(text, "{}"));
  if (!ok) throw new Error(JSON.stringify(refused));
  return ok;
}

const fromFile = (name: string) => imported(readFileSync(`${TEXTS}/${name}.txt`, "utf8"));

const ZONES = ["DMA", "DMA32", "Normal", "Movable", "Device"];

/** A zoneinfo of nodes with all memory in Normal, as a 6.1 kernel on x86_64 prints it. */
function listing(nodes: readonly { readonly id: number; readonly pages: number }[]): string {
  let start = 1_048_576;
  return nodes
    .map(({ id, pages }) => {
      const zones = ZONES.map((zone) => zoneText(id, zone, zone === "Normal" ? pages : 0, start));
      start += pages;
      return zones.join("");
    })
    .join("");
}

function zoneText(node: number, zone: string, pages: number, start: number): string {
  const min = Math.floor(pages / 400);
  const stats = pages > 0 ? "  per-node stats\n      nr_inactive_anon 0\n" : "";
  const tail = pages > 0 ? `  node_unreclaimable:  0\n  start_pfn:           ${start}\n` : "";
  return `Node ${node}, zone ${zone}
${stats}  pages free     ${pages}
        boost    0
        min      ${min}
        low      ${min + Math.floor(min / 4)}
        high     ${min + Math.floor(min / 2)}
        spanned  ${pages}
        present  ${pages}
        managed  ${pages}
        cma      0
        protection: (0, 0, 0, 0, 0)
${tail}`;
}

/** The messages about a refused experiment; null if it opens. */
const refusalsOf = (report: ImportReport) => {
  const reading = readNow(experimentOn(report));
  return reading.kind === "checked" ? [] : reading;
};

test("opens a machine of one node with a title that describes it", () => {
  const report = fromFile("plain");
  expect(refusalsOf(report)).toEqual([]);
  expect(titleOf(report)).toMatch(
    /^Your machine: 1 node, [\d.,]+\u202f[MG]iB, \d+ CPUs?, x86_64, kernel \d+\.\d+$/,
  );
  expect(JSON.parse(experimentOn(report)).workload).toBe(ANY_MACHINE_WORKLOAD);
});

test.each([
  ["two nodes", [0, 1], 262_144, "2 nodes, 2.0"],
  ["eight nodes", [0, 1, 2, 3, 4, 5, 6, 7], 65_536, "8 nodes, 2.0"],
  ["node numbers with gaps", [0, 2, 3], 131_072, "3 nodes, 1.5"],
  ["a tiny machine", [0], 16_384, "1 node, 64"],
  ["a large machine", [0, 1], 8_388_608, "2 nodes, 64.0"],
])("opens %s", (_, ids, pages, words) => {
  const report = imported(listing(ids.map((id) => ({ id, pages }))));
  expect(refusalsOf(report)).toEqual([]);
  expect(titleOf(report)).toContain(words);
});

test("reads a machine of 1 TiB and opens it or refuses it with a reason", () => {
  const report = imported(listing([0, 1].map((id) => ({ id, pages: 134_217_728 }))));
  expect(titleOf(report)).toContain("2 nodes, 1024.0");
  const reading = readNow(experimentOn(report));
  if (reading.kind === "checked") return;
  expect(reading.kind === "refused" && reading.refusals.map(({ path }) => path)).toEqual([
    "machine.nodes",
  ]);
});

test("does not name an architecture if the text has only one zone Normal", () => {
  const report = fromFile("one-zone-normal");
  expect(report.machine.arch).toBe("ppc64");
  expect(titleOf(report)).not.toContain("ppc64");
});

test("does not name an architecture that the text does not contain", () => {
  const report = fromFile("plain");
  const inferred = report.inferred.map((each) =>
    each.what === "arch" ? { ...each, value: "not simulated" } : each,
  );
  expect(titleOf({ ...report, inferred })).not.toContain("x86_64");
});
