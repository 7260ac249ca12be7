// Every mark on the page against the real engine: the machine changes, the mark must change.

import { readFileSync } from "node:fs";
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WorkbenchContext } from "../../app/context";
import { Workbench } from "../../app/controller";
import { beltPage, EMPTY_BELT, readBelts } from "../../draw/belt";
import { count } from "../../engine/format";
import { startInProcess } from "../../engine/in-process.test-support";
import { loadEngine, openText, presetJson, viewNow } from "../../engine/loaded.test-support";
import type { Frame } from "../../engine/protocol";
import type { View } from "../../engine/types";
import { readAside, workOf } from "../../link/draft";
import { Page } from "./Page";

const canvasLog: string[] = [];

beforeEach(() => {
  canvasLog.length = 0;
  localStorage.clear();
  history.replaceState(null, "", "#/");
  const context = new Proxy<Record<string, unknown>>(
    {},
    {
      get: (target, name) =>
        name in target
          ? target[String(name)]
          : (...at: unknown[]) =>
              canvasLog.push(`${String(name)} ${target.fillStyle} ${at.join(" ")}`),
    },
  );
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(context as never);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(200);
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly #changed: () => void;
      constructor(changed: () => void) {
        this.#changed = changed;
      }
      // As a browser does: once when it is about to draw.
      observe() {
        setTimeout(() => act(this.#changed));
      }
      disconnect() {}
    },
  );
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

let opened: Workbench | undefined;
afterEach(() => opened?.dispose());

async function openPage(): Promise<Workbench> {
  const workbench = new Workbench(() => startInProcess());
  opened = workbench;
  render(
    <WorkbenchContext value={workbench}>
      <Page />
    </WorkbenchContext>,
  );
  await waitFor(() => expect(frameOf(workbench).mode.kind).toBe("paused"));
  await isBuilt();
  return workbench;
}

/** The zones are built first, then the rest of the machine, then what stands around it. */
async function isBuilt(): Promise<void> {
  await screen.findByRole("region", { name: "Node 0" });
  await screen.findByRole("region", { name: "Tasks" });
  await screen.findByRole("region", { name: "Why" });
  await screen.findByRole("slider", { name: "Playhead" });
}

function frameOf(workbench: Workbench): Frame {
  const frame = workbench.store.getState().session?.frame;
  if (!frame) throw new Error("no frame yet");
  return frame;
}

async function goTo(workbench: Workbench, step: number): Promise<void> {
  act(() => workbench.transport.seek({ kind: "step", step }));
  await waitFor(() => expect(frameOf(workbench).view.position.step).toBe(step));
}

/** Steps whatever runs next until `isThere`, reading the frame each time. */
async function stepUntil(workbench: Workbench, isThere: (frame: Frame) => boolean): Promise<void> {
  for (let i = 0; i < 400 && !isThere(frameOf(workbench)); i += 1) {
    const { step } = frameOf(workbench).view.position;
    act(() => workbench.transport.step("into"));
    await waitFor(() => expect(frameOf(workbench).view.position.step).toBeGreaterThan(step));
  }
  expect(isThere(frameOf(workbench))).toBe(true);
}

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

test("free blocks over time are read by keys, follow the playhead, and lead to their moment", async () => {
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
  // What keys choose before the run's history has come is no cell.
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

test("the route, its task and the stops follow the walk", async () => {
  const workbench = await openPage();
  const stop = (words: string) =>
    screen.queryAllByRole("img", { name: new RegExp(`^stop \\d, ${words}`) }).length;
  expect(stop("looked at now")).toBe(1);
  const label = screen.getByText(/^wants order/).textContent;
  await stepUntil(workbench, ({ view }) => (view.route?.stops[1]?.state ?? "ahead") !== "ahead");
  expect(stop("passed over")).toBeGreaterThan(0);
  expect(screen.getByText(/^wants order/).textContent).not.toBe(label);
  await stepUntil(workbench, ({ view }) => view.route === null);
  expect(screen.getByText("No allocation in progress.")).toBeTruthy();
}, 30_000);

test("why, code, stack, locals and events follow each step", async () => {
  const workbench = await openPage();
  const regions = ["Why", "Pseudo-code", "Call stack"];
  const read = () => regions.map((name) => screen.getByRole("region", { name }).textContent);
  const before = read();
  await stepUntil(workbench, ({ view }) => view.events.length > 0);
  const after = read();
  for (const [i, name] of regions.entries()) expect(after[i], name).not.toBe(before[i]);
  const { stack, events } = frameOf(workbench).view;
  const locals = screen.getByRole("region", { name: "Locals" });
  for (const { name } of stack[0]?.locals ?? [])
    expect(within(locals).getByText(name)).toBeTruthy();
  const list = screen.getByRole("region", { name: "Events in this step" });
  expect(within(list).getAllByRole("listitem").length).toBe(events.length);
  expect(screen.getByTestId("narration").textContent).toMatch(/Step [\d,]+/);
}, 30_000);

test("the current line is the line about to run, and the only one", async () => {
  const workbench = await openPage();
  for (let i = 0; i < 5; i += 1) {
    const { stack } = frameOf(workbench).view;
    const code = screen.getByRole("region", { name: "Pseudo-code" });
    const now = within(code)
      .getAllByRole("listitem")
      .filter((li) => li.hasAttribute("aria-current"));
    expect(
      now.map((li) =>
        li.textContent?.replace("▶", "").startsWith(String((stack[0]?.line ?? 0) + 1)),
      ),
    ).toEqual(stack[0] ? [true] : []);
    await stepUntilMoved(workbench);
  }
}, 30_000);

async function stepUntilMoved(workbench: Workbench) {
  const { step } = frameOf(workbench).view.position;
  await stepUntil(workbench, ({ view }) => view.position.step > step);
}

test("tasks and kswapd change their looks with what they do", async () => {
  const workbench = await openPage();
  act(() => workbench.openPreset("run-out.teach"));
  await waitFor(() => expect(frameOf(workbench).view.position.step).toBe(0));
  await isBuilt();
  const tasks = screen.getByRole("region", { name: "Tasks" });
  const before = tasks.textContent;
  expect(screen.getAllByText("since boot").length).toBe(2);
  const awake = () => screen.queryAllByText(/^kswapd\d (awake|waits)$/).length;
  const isAwake = () => frameOf(workbench).view.nodes.filter((node) => node.kswapd_awake).length;
  // At boot both look once whether there is anything to do, then sleep.
  expect([awake(), isAwake()]).toEqual([2, 2]);
  await stepUntil(workbench, ({ view }) => view.nodes.every((node) => !node.kswapd_awake));
  expect([awake(), isAwake()]).toEqual([0, 0]);
  await goTo(workbench, frameOf(workbench).furthest.step);
  expect(tasks.textContent).not.toBe(before);
  expect(screen.queryAllByText(/^(since boot|never woken)$/).length).toBe(0);
  expect(awake()).toBe(isAwake());
}, 30_000);

/** The first step of a run at which the machine is as wished, looked for by a machine of its own. */
function stepWhere(
  preset: string,
  chunk: number,
  isThere: (view: View) => boolean,
  isNear = isThere,
): number {
  const engine = loadEngine();
  openText(engine, 0, presetJson(preset));
  const now = () => viewNow(engine);
  let { step } = now().position;
  while (!isNear(now()) && !now().position.ended) {
    ({ step } = now().position);
    engine.run(0, chunk, undefined, undefined);
  }
  engine.seek(0, step);
  for (let i = 0; i < 5000 && !isThere(now()); i += 1) engine.step(0, "any", undefined, 1);
  expect(isThere(now())).toBe(true);
  ({ step } = now().position);
  engine.free();
  return step;
}

async function openAt(preset: string, step: number): Promise<Workbench> {
  const workbench = await openPage();
  act(() => workbench.openPreset(preset));
  await waitFor(() => expect(frameOf(workbench).view.position.step).toBe(0));
  await isBuilt();
  await goTo(workbench, step);
  return workbench;
}

const held = ({ batches }: View) => batches.find(({ pages }) => pages.length > 0);

test("belts, batch and ladder follow kswapd, page by page", async () => {
  const step = stepWhere(
    "anon-hog.teach",
    500,
    (view) => (held(view)?.fates[3] ?? 0) > 0,
    ({ reclaimers }) => reclaimers.length > 0,
  );
  const workbench = await openAt("anon-hog.teach", step);
  const batch = held(frameOf(workbench).view);
  if (!batch) throw new Error("nobody holds a batch");
  // Lists of a node have no tabs: all its zones share them.
  const lists = screen.getByRole("region", { name: `LRU lists of node ${batch.owner}` });
  expect(within(lists).queryAllByRole("button", { name: /^LRU lists of/ })).toEqual([]);
  const { lists: pages } = frameOf(workbench).view.lru.find(({ key }) => key === batch.owner) ?? {};
  expect(lists.textContent).toContain(`inactive anon${count(pages?.[0] ?? -1)}`);
  const fates = () => lists.querySelector(".batch")?.textContent;
  expect(fates()).toContain(`took ${batch.taken} of inactive anon`);
  expect(fates()).toContain(`${batch.fates[3]} kept`);
  const before = { fates: fates(), painted: canvasLog.length };

  const grid = within(lists).getByRole("grid", { name: /^Pages at the tails/ });
  fireEvent.keyDown(grid, { key: "End" });
  expect(within(grid).getByRole("gridcell").textContent).toMatch(/^0x\w+, taken 1 of \d+: /);
  expect(lists.querySelectorAll(".ring.hover").length).toBeGreaterThan(0);
  fireEvent.blur(grid);

  const run = frameOf(workbench).view.reclaimers.find(({ kswapd }) => kswapd);
  const ladder = `scan priority ${run?.priority}, from 12 down to 0`;
  expect(screen.getAllByRole("img", { name: ladder }).length).toBeGreaterThan(0);

  await stepUntil(
    workbench,
    ({ view }) => (held(view)?.fates[3] ?? 0) !== batch.fates[3] && view.ran === batch.task,
  );
  expect(fates()).not.toBe(before.fates);
  expect(canvasLog.length).not.toBe(before.painted);
}, 60_000);

test("a kernel with lists of each zone has a tab for each", async () => {
  const step = stepWhere("streaming-reader.teach", 4_000, (view) =>
    view.lru.some(({ key, lists }) => key === "0/DMA" && (lists[2] ?? 0) > 0),
  );
  const workbench = await openAt("streaming-reader.teach", step);
  const node = screen.getByRole("region", { name: "Node 0" });
  const choose = (zone: string) =>
    fireEvent.click(within(node).getByRole("button", { name: `LRU lists of ${zone} on node 0` }));
  const listed = (key: string) =>
    count(frameOf(workbench).view.lru.find((lru) => lru.key === key)?.lists[2] ?? -1);
  for (const zone of ["DMA", "DMA32", "Normal"]) {
    choose(zone);
    const lists = within(node).getByRole("region", { name: `LRU lists of ${zone} on node 0` });
    expect(lists.textContent).toContain(`inactive file${listed(`0/${zone}`)}`);
  }
  const io = screen.getByRole("region", { name: "Reclaim and devices" });
  const [sda] = frameOf(workbench).view.devices;
  expect(sda?.name).toBe("sda");
  const queue = () =>
    within(io)
      .getByRole("img", { name: /^sda: / })
      .getAttribute("aria-label");
  const before = queue();
  await goTo(workbench, 0);
  expect(queue()).toBe("sda: 0 requests in flight, 0 wait");
  expect(before).not.toBe(queue());
}, 60_000);

test("who waits in reclaim, the gates and how long waits took follow the machine", async () => {
  const { machine, experiments } = JSON.parse(
    readFileSync("lessons/stalling-on-nothing/experiments.json", "utf8"),
  );
  const workbench = await openPage();
  act(() =>
    workbench.open(JSON.stringify({ id: "storm", machine, ...experiments.storm, seed: 1 })),
  );
  await waitFor(() => expect(frameOf(workbench).view.tasks.length).toBeGreaterThan(4));
  await isBuilt();
  expect(screen.queryByRole("button", { name: "Wait queues" })).toBeNull();
  act(() => workbench.transport.seek({ kind: "time", time_ns: 500e6 }));
  await waitFor(() => expect(frameOf(workbench).view.position.time_ns).toBeGreaterThan(499e6));
  const { queues } = frameOf(workbench).view.nodes[0] ?? { queues: [] };
  expect(queues.length).toBe(4);
  const shown = await waitFor(() => {
    const rows = [...document.querySelectorAll<HTMLElement>(".queue")];
    expect(rows.length).toBe(queues.length);
    return rows;
  });
  for (const [i, queue] of queues.entries()) {
    const row = shown[i] as HTMLElement;
    expect(within(row).queryAllByRole("button", { pressed: false }).length).toBeGreaterThanOrEqual(
      Math.min(1, queue.waiters.length),
    );
    const sleeps = queue.delays.reduce((sum, [, many]) => sum + many, 0);
    expect(
      within(row).getByRole("img", { name: new RegExp(`in this run: ${count(sleeps)} waits`) }),
    ).toBeTruthy();
  }
  await goTo(workbench, 0);
  expect(document.querySelectorAll(".queue").length).toBe(0);
}, 60_000);

/** Memory that is touched and let go in part, and compacted by hand. */
const compacted = (kernel: string) =>
  JSON.stringify({
    id: "compacted",
    machine: "sh4-16m-teach",
    kernel,
    seed: 1,
    length: "1s",
    interventions: kernel === "2.6.37" ? [{ at: "200ms", compact_memory: 1 }] : [],
    workload: {
      id: "compacted",
      processes: [
        {
          name: "hog",
          program: [
            { op: "map", region: "heap", size: "6 MiB" },
            { op: "touch", region: "heap", write: true },
            { op: "dontneed", region: "heap", every: 3 },
            { op: "alloc", pool: "huge", order: 6, count: 2, type: "movable" },
            { op: "think", time: "1s" },
          ],
        },
      ],
    },
  });

test("pageblocks, scanners and the page that moves follow the machine; without compaction it is said", async () => {
  const engine = loadEngine();
  openText(engine, 0, compacted("2.6.37"));
  const runAt = (step: number) => {
    engine.seek(0, step);
    while (!engine.seek_more(0, 1e6).done);
    return viewNow(engine, 0).pageblocks[0]?.run ?? null;
  };
  while (!engine.run(0, 1e6, undefined, 199e6).done);
  let step = engine.view(0, undefined).position.step;
  while (!runAt(step)?.moved) step += 7;
  const run = runAt(step);

  const workbench = await openPage();
  act(() => workbench.open(compacted("2.6.37")));
  await waitFor(() =>
    expect(frameOf(workbench).view.tasks.some(({ name }) => name === "hog/1")).toBe(true),
  );
  await isBuilt();
  await goTo(workbench, step);
  fireEvent.click(screen.getByRole("button", { name: "Pageblocks" }));
  const blocks = await screen.findByRole("region", { name: "Pageblocks of Normal on node 0" });
  expect(screen.queryByRole("region", { name: /^LRU lists/ })).toBeNull();
  expect(blocks.textContent).toContain("64 blocks of 256\u202fKiB");
  expect(blocks.textContent).toContain("compacts all of the zone, by hand; waits where it must.");
  expect(blocks.textContent).toContain(`migrate scanner, block ${(run?.migrate_pfn ?? 0) >> 6}`);
  expect(blocks.textContent).toContain(`${run?.isolated} isolated, ${run?.targets} free in hand`);
  expect(blocks.querySelectorAll(".way").length).toBe(1);
  // A block is read by keys.
  const grid = within(blocks).getByRole("grid");
  fireEvent.keyDown(grid, { key: "End" });
  expect(within(blocks).getByRole("gridcell").textContent).toMatch(/^block 63, 0xfc0 to 0xfff, /);

  await goTo(workbench, 0);
  expect(blocks.textContent).toContain("64 free");
  expect(blocks.querySelectorAll(".way, .scanner").length).toBe(0);

  act(() => workbench.open(compacted("lumpyreclaim-traceonly")));
  // What was chosen stays chosen in another run.
  await waitFor(() =>
    expect(screen.getByRole("region", { name: /^Pageblocks/ }).textContent).toContain(
      "Compaction is absent here: this kernel was built without it.",
    ),
  );
}, 60_000);

test("dirty pages, waiting writers and swap follow the machine", async () => {
  const step = stepWhere("dirty-writer.teach", 20, ({ tasks }) =>
    tasks.some(({ waits_for }) => waits_for === "fewer dirty pages"),
  );
  const workbench = await openAt("dirty-writer.teach", step);
  const { writeback, tasks } = frameOf(workbench).view;
  const io = screen.getByRole("region", { name: "Reclaim and devices" });
  expect(
    within(io)
      .getByRole("img", { name: /dirty and/ })
      .getAttribute("aria-label"),
  ).toContain(`${count(writeback.dirty)} dirty and ${count(writeback.writeback)} under writeback`);
  const strip = screen.getByRole("region", { name: "Tasks" });
  expect(within(strip).getAllByText(/^waits for fewer dirty pages/).length).toBe(
    tasks.filter(({ waits_for }) => waits_for === "fewer dirty pages").length,
  );
  await goTo(workbench, 0);
  expect(within(strip).queryByText(/^waits for fewer/)).toBeNull();

  const swapped = stepWhere("anon-hog.teach", 500, (view) => view.writeback.swap_used > 0);
  act(() => workbench.openPreset("anon-hog.teach"));
  await waitFor(() =>
    expect(workbench.store.getState().session?.info.experiment).toBe("anon-hog.teach"),
  );
  await goTo(workbench, swapped);
  const { swap_used, swap_total } = frameOf(workbench).view.writeback;
  expect(swap_used).toBeGreaterThan(0);
  const slots = `${count(swap_used)} of ${count(swap_total)} swap slots used`;
  expect(await screen.findByRole("img", { name: slots })).toBeTruthy();
}, 60_000);

test("what a sentence names lights up where it is drawn, and stays when selected", async () => {
  await openPage();
  const why = screen.getByRole("region", { name: "Why" });
  const name = within(why).getByRole("button", { name: /on node/ });
  fireEvent.pointerEnter(name);
  const lit = () => document.querySelectorAll(".zone.lit-hover").length;
  expect(lit()).toBe(1);
  fireEvent.pointerLeave(name);
  expect(lit()).toBe(0);
  fireEvent.click(name);
  expect(document.querySelectorAll(".zone.lit-select").length).toBe(1);
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(document.querySelectorAll(".zone.lit-select").length).toBe(0);
}, 30_000);

test("a page is gone into by keys, read, followed as it changes, and left", async () => {
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
  const way = screen.getByRole("navigation", { name: "Where the page map of node 1 is" });
  expect(way.textContent).toMatch(new RegExp(`^node 1Normalblock [\\d,]+${pfn}$`));

  await goTo(workbench, 60_000);
  expect(card.textContent).toMatch(
    /anon active.*active anon of [\w ]*node 1, \d+\w\w from the tail of/,
  );
  await goTo(workbench, 0);
  expect(card.textContent).toContain("free, on a buddy list");

  fireEvent.click(within(card).getByRole("button", { name: "Stop when it changes" }));
  const { breakpoints } = workbench.store.getState();
  expect(breakpoints[0]?.watch).toEqual({ kind: "page", pfn: Number(pfn), part: "any" });
  fireEvent.click(within(card).getByRole("button", { name: "Biography" }));
  expect(workbench.store.getState().sideTab).toBe("explain");

  act(() => card.focus());
  fireEvent.keyDown(card, { key: "Escape" });
  await waitFor(() => expect(document.activeElement).toBe(grid()));
  expect(within(grid()).getByRole("gridcell").textContent).toContain(pfn);
  // What was opened is left first; what was chosen stays until the next time.
  expect(workbench.store.getState().selected.length).toBe(1);
  fireEvent.keyDown(grid(), { key: "Escape" });
  expect(workbench.store.getState().selected).toEqual([]);
}, 30_000);

test("a big machine's map goes in to zone, block and page, and every level follows the machine", async () => {
  const workbench = await openAt("first-touch.4g", 700_000);
  const pfn = beltPage(readBelts(frameOf(workbench).lru)[1]?.[1] ?? EMPTY_BELT, 0)?.pfn ?? 0;
  const at = { node: 0, pfn };
  const named = (name: RegExp) => screen.findByRole("grid", { name });
  act(() => workbench.zooms.in(at));
  const zone = await named(/^Pageblocks of node/);
  canvasLog.length = 0;
  act(() => workbench.zooms.in(at));
  const block = await named(/^Pages of block/);
  expect(block).toBe(zone);
  const holds = block.getAttribute("aria-label");
  expect(holds).toContain("anon active");
  await waitFor(() => expect(canvasLog.length).toBeGreaterThan(0));
  await goTo(workbench, 0);
  expect(block.getAttribute("aria-label")).not.toBe(holds);
  act(() => workbench.zooms.in(at));
  await screen.findByRole("region", { name: `Page 0x${pfn.toString(16)}: free` });
  for (const _ of "abc") fireEvent.keyDown(document.body, { key: "Escape" });
  await named(/^Page map of node 0;/);
  expect(workbench.store.getState().zoom).toEqual({});
}, 60_000);

test("a broken engine keeps experiment and place, and starts again there", async () => {
  let starts = 0;
  const workbench = new Workbench(() => {
    starts += 1;
    return startInProcess(starts === 1 ? "back" : undefined);
  });
  opened = workbench;
  render(
    <WorkbenchContext value={workbench}>
      <Page />
    </WorkbenchContext>,
  );
  await waitFor(() => expect(frameOf(workbench).mode.kind).toBe("paused"));
  const { step } = frameOf(workbench).view.position;
  act(() => workbench.transport.back("step"));
  const card = await screen.findByRole("alertdialog", { name: "The engine stopped" });
  expect(card.textContent).toContain("two lists hold one page");
  fireEvent.click(within(card).getByRole("button", { name: /^Restart at #/ }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  await waitFor(() => expect(frameOf(workbench).view.position.step).toBe(step - 1));
}, 30_000);

test("what was made a moment ago is put aside when another experiment is chosen", async () => {
  const workbench = await openPage();
  const state = () => workbench.store.getState();
  await waitFor(() => expect(state().packed).not.toBeNull());
  act(() => {
    workbench.keep({ title: "Just made" });
    workbench.openPreset("anon-hog.teach");
  });
  await waitFor(() => expect(state().session?.info.title).toMatch(/hog/));
  await waitFor(() => expect(readAside()).toHaveLength(1));
  expect(workOf(readAside()[0]?.packed ?? "")).toContain("Just made");
});
