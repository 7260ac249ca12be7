import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { WorkbenchContext } from "../app/context";
import { Workbench } from "../app/controller";
import { genLayout, readGenerations, rowTiles } from "../draw/generations";
import type { Port } from "../engine/client";
import type { GenerationsView, LruView, View } from "../engine/types";
import { Generations } from "./Generations";

const owner: GenerationsView = {
  key: "0",
  node: 0,
  max_seq: 7,
  min_seq: [5, 5],
  generations: [
    { seq: 5, born_ns: 0, pages: [0, 2], tiers: [[], [1, 0, 1, 0]] },
    { seq: 6, born_ns: 1e9, pages: [1200, 0], tiers: [[1160, 30, 0, 10], []] },
    { seq: 7, born_ns: 2e9, pages: [0, 0], tiers: [[], []] },
  ],
  tiers: [
    [{ refaulted: 3, evicted: 100, protected: 0, avg_refaulted: 4, avg_total: 200 }],
    [{ refaulted: 90, evicted: 1000, protected: 0, avg_refaulted: 0, avg_total: 0 }],
  ],
  walking: null,
};
const walking = { task: 4, process: 9, seq: 7, scanned: 512, young: 64, promoted: 64 };
const inactiveFile = 4;
const sent = Uint32Array.from([
  ...[0, 2, 21, inactiveFile, 22, inactiveFile | (2 << 12)],
  ...[0, 0, 0, 0],
]);

/** Shows the generations at 3 s. */
function show(view: GenerationsView) {
  const port: Port = {
    postMessage: () => {},
    onmessage: null,
    onerror: null,
    terminate: () => {},
  };
  const workbench = new Workbench(() => port, { ownsAddress: false });
  const whole = {
    position: { step: 1, time_ns: 3e9, ended: false },
    batches: [],
    tasks: [
      { id: 4, name: "kswapd0" },
      { id: 9, name: "hog/1" },
    ],
    ran: 4,
  } as unknown as View;
  const lru = { key: "0", node: 0, isolated: [0, 5], lists: [] } as unknown as LruView;
  render(
    <WorkbenchContext value={workbench}>
      <Generations
        view={whole}
        owner={view}
        lru={lru}
        lists={readGenerations(sent, [view])[0] ?? []}
        width_px={496}
        place={null}
      />
    </WorkbenchContext>,
  );
  return screen.getByRole("region", { name: "Generations of node 0" });
}

test("shows each generation with its age, its pages by type and its higher tiers", () => {
  const region = show(owner);
  const heads = [...region.querySelectorAll(".gen-head")].map(({ textContent }) => textContent);
  expect(heads).toEqual(["7 youngest", "6 2\u202fs", "5 oldest"]);
  const pages = [...region.querySelectorAll(".gen-pages")].map(({ textContent }) => textContent);
  expect(pages).toEqual(["0", "0", "0", "1,200tiers 1 to 3: 40", "2tier 2: 1", "0"]);
  expect(region.textContent).toContain("Refaults per eviction: file 90 of 1,000, anon 7 of 300");
  expect(region.textContent).toContain("isolated 5");
});

test("the keyboard reads which page is evicted next and how it was used", () => {
  show(owner);
  const grid = screen.getByRole("grid", { name: /Pages of the generations of node 0/ });
  fireEvent.focus(grid);
  fireEvent.keyDown(grid, { key: "Home" });
  const said = () => screen.getByRole("gridcell").textContent;
  expect(said()).toBe("No generation here");
  // The last tile of the first row is the page of the oldest generation that is evicted first.
  for (let tile = 1; tile < rowTiles(genLayout(438)); tile += 1) {
    fireEvent.keyDown(grid, { key: "ArrowRight" });
  }
  expect(said()).toBe(
    "0x15, next to be evicted among file pages of generation 5, the oldest: inactive file, tier 0",
  );
  fireEvent.keyDown(grid, { key: "ArrowLeft" });
  expect(said()).toMatch(/^0x16, 1 from eviction .*tier 2$/);
});

test("names the task that reads page tables and the generation that opens next", () => {
  const region = show({ ...owner, walking });
  const words = region.textContent;
  expect(words).toContain("kswapd0");
  expect(words).toContain("reads page tables of hog/1: 64 of 512 entries used");
  expect(words).toContain("8 opens next");
  expect(region.querySelector(".gen-walk")).toBeTruthy();
});
