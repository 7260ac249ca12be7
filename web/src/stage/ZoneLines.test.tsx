import { readFileSync } from "node:fs";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { loadEngine, measureNow } from "../engine/loaded.test-support";
import type { Moment } from "../engine/measure";
import { ZoneLines } from "./ZoneLines";

const { machine, experiments } = JSON.parse(
  readFileSync("lessons/nodes-and-zones/experiments.json", "utf8"),
);

/** Shows the lines at a step of a run that uses all memory. */
function show(moment: Moment) {
  const { blanks: _, ...large } = experiments.large;
  const experiment = JSON.stringify({ id: "", machine, ...large, seed: 1 });
  const measured = measureNow(loadEngine(), 0, { experiment, moments: [moment] });
  const view = measured.kind === "measured" ? measured.snapshots[0]?.view : undefined;
  if (!view) throw new Error("the moment never comes");
  render(<ZoneLines view={view} />);
}

test("lists the zones by node, highest zone first, with free pages and low watermark", () => {
  show({ kind: "start" });
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "Node 0 Normal1,280 free, low 50",
    "Node 0 DMA32768 free, low 30",
    "Node 0 DMA64 free, low 2",
    "Node 1 Normal640 free, low 25",
    "Node 2 Normal640 free, low 25",
  ]);
});

test("adds the reserved pages of a zone and marks the zone that a request checks", () => {
  show({ kind: "counter", name: "numa_miss", reaches: 1, from: "refusal" });
  const marked = screen.getAllByRole("listitem").filter((line) => "now" in line.dataset);
  expect(marked.map(({ textContent }) => textContent)).toEqual(["Node 0 DMA64 free, low 2 + 256"]);
  expect(
    screen.getByRole("img", { name: "Zone DMA32 on node 0: 190 of 768 pages free" }),
  ).toBeTruthy();
});
