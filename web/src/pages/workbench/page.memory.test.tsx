// The marks of memory with the real engine: each test changes the machine and expects the marks to
// change.

import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { lruPage, NO_LRU_PAGES, readLruPages } from "../../draw/lru-lists";
import type { Frame } from "../../engine/protocol";
import { canvasLog, frameOf, goTo, openAt, openPage } from "./page.test-support";

const free = (frame: Frame, key: string) => frame.view.zones.find((z) => z.key === key)?.free ?? -1;
const tank = (zone: string) =>
  screen.getByRole("img", { name: new RegExp(`^Zone ${zone}:`) }).getAttribute("aria-label");

test("tanks, page map, state table, free lists and timeline follow the memory", async () => {
  const workbench = await openPage();
  expect(screen.queryByRole("table", { name: /^Free blocks/ })).toBeNull();
  const [faces] = screen.getAllByRole("button", { name: "Free lists" });
  if (faces) fireEvent.click(faces);
  const full = frameOf(workbench);
  const before = {
    tank: tank("Normal on node 0"),
    canvas: canvasLog.filter((line) => line.startsWith("fillRect")).length,
    table: screen.getByRole("table", { name: "Pages of node 0 by zone and state" }).textContent,
    lists: screen.getByRole("table", { name: /^Free blocks of Normal on node 0/ }).textContent,
    playhead: screen.getByRole("slider", { name: "Playhead" }).getAttribute("aria-valuenow"),
  };
  expect(before.tank).toContain(`: ${free(full, "0/Normal")} of 512 pages free`);

  canvasLog.length = 0;
  await goTo(workbench, 0);
  expect(free(frameOf(workbench), "0/Normal")).toBeGreaterThan(free(full, "0/Normal"));
  expect(tank("Normal on node 0")).not.toBe(before.tank);
  await waitFor(() => expect(canvasLog.length).toBeGreaterThan(0));
  expect(canvasLog.filter((line) => line.startsWith("fillRect")).length).not.toBe(before.canvas);
  expect(
    screen.getByRole("table", { name: "Pages of node 0 by zone and state" }).textContent,
  ).not.toBe(before.table);
  const { time_ns } = frameOf(workbench).view.position;
  expect(screen.getByRole("slider", { name: "Playhead" }).getAttribute("aria-valuenow")).toBe(
    String(time_ns),
  );
  fireEvent.click(
    within(screen.getByRole("region", { name: "Node 0" })).getByRole("button", { name: "Normal" }),
  );
  expect(
    screen.getByRole("table", { name: /^Free blocks of Normal on node 0/ }).textContent,
  ).not.toBe(before.lists);
}, 30_000);

test("free blocks over time can be read by keyboard, follow the playhead, and lead to their step", async () => {
  const workbench = await openPage();
  fireEvent.click(screen.getAllByRole("button", { name: "Free lists" })[0] as HTMLElement);
  canvasLog.length = 0;
  fireEvent.click(screen.getAllByRole("button", { name: "over time" })[0] as HTMLElement);
  const grid = await screen.findByRole("grid", { name: /^Free blocks of .* over time, by order/ });
  await waitFor(() => expect(canvasLog.some((line) => line.startsWith("fillRect"))).toBe(true));
  const playhead = () => grid.querySelector(".now")?.getAttribute("d");
  const before = playhead();
  fireEvent.focus(grid);
  const cell = () => within(grid).getByRole("gridcell").textContent ?? "";
  // Before the run's history has arrived, keys cannot choose a cell.
  await waitFor(() => {
    fireEvent.keyDown(grid, { key: "Home" });
    expect(cell()).toMatch(/^order 10 \(4\u202fMiB\) at 0\.\d/);
  });
  for (let i = 0; i < 4; i += 1) fireEvent.keyDown(grid, { key: "ArrowRight" });
  expect(cell()).toMatch(/^order 10 /);
  fireEvent.keyDown(grid, { key: "ArrowDown" });
  expect(cell()).toMatch(/^order 9 /);
  const { step } = frameOf(workbench).view.position;
  fireEvent.keyDown(grid, { key: "Enter" });
  await waitFor(() => expect(frameOf(workbench).view.position.step).not.toBe(step));
  await waitFor(() => expect(playhead()).not.toBe(before));
}, 30_000);

test("a page can be opened by keyboard, read, watched as it changes, and closed", async () => {
  const workbench = await openPage();
  const grid = () => screen.getByRole("grid", { name: /^Page map of node 1;/ });
  act(() => grid().focus());
  for (let i = 0; i < 40; i += 1) fireEvent.keyDown(grid(), { key: "ArrowRight" });
  const [pfn = 0] = /^0x\w+/.exec(within(grid()).getByRole("gridcell").textContent ?? "") ?? [];
  fireEvent.keyDown(grid(), { key: "Enter" });
  const card = await screen.findByRole("region", { name: new RegExp(`^Page ${pfn}: `) });
  expect(document.activeElement).toBe(card);
  expect(workbench.store.getState().selected).toEqual([`page ${Number(pfn)}`]);
  expect(workbench.store.getState().zoom).toEqual({ 1: { level: "page", pfn: Number(pfn) } });
  const crumbs = screen.getByRole("navigation", { name: "Location in the page map of node 1" });
  expect(crumbs.textContent).toMatch(new RegExp(`^node 1Normalblock [\\d,]+${pfn}$`));

  await goTo(workbench, 60_000);
  expect(card.textContent).toMatch(
    /active anon.*active anon of [\w ]*node 1, \d+\w\w from the tail of/,
  );
  await goTo(workbench, 0);
  expect(card.textContent).toContain("free, on a buddy list");

  fireEvent.click(within(card).getByRole("button", { name: "Stop when it changes" }));
  const { breakpoints } = workbench.store.getState();
  expect(breakpoints[0]?.watch).toEqual({ kind: "page", pfn: Number(pfn), part: "any" });
  fireEvent.click(within(card).getByRole("button", { name: "History" }));
  expect(workbench.store.getState().sideTab).toBe("explain");

  act(() => card.focus());
  fireEvent.keyDown(card, { key: "Escape" });
  await waitFor(() => expect(document.activeElement).toBe(grid()));
  expect(within(grid()).getByRole("gridcell").textContent).toContain(pfn);
  // Escape first closes the page; the selection stays until the next press.
  expect(workbench.store.getState().selected.length).toBe(1);
  fireEvent.keyDown(grid(), { key: "Escape" });
  expect(workbench.store.getState().selected).toEqual([]);
}, 30_000);

test("the map of a big machine opens to zone, block and page, and every level follows the machine", async () => {
  const workbench = await openAt("first-touch.4g", 700_000);
  const pfn = lruPage(readLruPages(frameOf(workbench).lru)[1]?.[1] ?? NO_LRU_PAGES, 0)?.pfn ?? 0;
  const at = { node: 0, pfn };
  const named = (name: RegExp) => screen.findByRole("grid", { name });
  act(() => workbench.zooms.in(at));
  const zone = await named(/^Pageblocks of node/);
  canvasLog.length = 0;
  act(() => workbench.zooms.in(at));
  const block = await named(/^Pages of block/);
  expect(block).toBe(zone);
  const holds = block.getAttribute("aria-label");
  expect(holds).toContain("active anon");
  await waitFor(() => expect(canvasLog.length).toBeGreaterThan(0));
  await goTo(workbench, 0);
  expect(block.getAttribute("aria-label")).not.toBe(holds);
  act(() => workbench.zooms.in(at));
  await screen.findByRole("region", { name: `Page 0x${pfn.toString(16)}: free` });
  for (const _ of "abc") fireEvent.keyDown(document.body, { key: "Escape" });
  await named(/^Page map of node 0;/);
  expect(workbench.store.getState().zoom).toEqual({});
}, 60_000);
