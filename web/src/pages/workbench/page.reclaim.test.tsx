// The marks of reclaim and devices with the real engine: each test changes the machine and expects
// the marks to change.

import { readFileSync } from "node:fs";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { count, counted } from "../../engine/format";
import { loadEngine, openText, viewNow } from "../../engine/loaded.test-support";
import type { View } from "../../engine/types";
import {
  canvasLog,
  frameOf,
  goTo,
  isBuilt,
  openAt,
  openPage,
  stepWhere,
} from "./page.test-support";

const held = ({ batches }: View) => batches.find(({ pages }) => pages.length > 0);

test("list strips, batch and priority follow kswapd page by page", async () => {
  const step = stepWhere(
    "anon-hog.teach",
    500,
    (view) => (held(view)?.fates[3] ?? 0) > 0,
    ({ reclaimers }) => reclaimers.length > 0,
  );
  const workbench = await openAt("anon-hog.teach", step);
  const batch = held(frameOf(workbench).view);
  if (!batch) throw new Error("nobody holds a batch");
  // Lists of a node have no tabs, because all its zones share them.
  const lists = screen.getByRole("region", { name: `LRU lists of node ${batch.owner}` });
  expect(within(lists).queryAllByRole("button", { name: /^LRU lists of/ })).toEqual([]);
  const { lists: pages } = frameOf(workbench).view.lru.find(({ key }) => key === batch.owner) ?? {};
  expect(lists.textContent).toContain(`inactive anon${count(pages?.[0] ?? -1)}`);
  const fates = () => lists.querySelector(".batch")?.textContent;
  expect(fates()).toContain(`isolated ${batch.taken} inactive anon`);
  expect(fates()).toContain(`${batch.fates[3]} kept`);
  const before = { fates: fates(), painted: canvasLog.length };

  const grid = within(lists).getByRole("grid", { name: /^Pages at the tails/ });
  fireEvent.keyDown(grid, { key: "End" });
  expect(within(grid).getByRole("gridcell").textContent).toMatch(
    /^0x\w+, isolated page 1 of \d+: /,
  );
  expect(lists.querySelectorAll(".ring.hover").length).toBeGreaterThan(0);
  fireEvent.blur(grid);

  const run = frameOf(workbench).view.reclaimers.find(({ kswapd }) => kswapd);
  const ladder = `scan priority ${run?.priority}, from 12 down to 0`;
  expect(screen.getAllByRole("img", { name: ladder }).length).toBeGreaterThan(0);

  const isLater = ({ position }: View) => position.step > step;
  const hasOtherFates = (view: View) =>
    (held(view)?.fates[3] ?? 0) !== batch.fates[3] && view.ran === batch.task;
  const later = stepWhere(
    "anon-hog.teach",
    500,
    (view) => isLater(view) && hasOtherFates(view),
    isLater,
  );
  await goTo(workbench, later);
  expect(fates()).not.toBe(before.fates);
  expect(canvasLog.length).not.toBe(before.painted);
}, 60_000);

test("a kernel with lists for each zone has a tab for each zone", async () => {
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
  expect(queue()).toBe("sda: 0 requests in flight, 0 queued");
  expect(before).not.toBe(queue());
}, 60_000);

test("waiting reclaimers, gates and wait times follow the machine", async () => {
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
  const queueRow = await waitFor(() => {
    const rows = [...document.querySelectorAll<HTMLElement>(".queue")];
    expect(rows.length).toBe(queues.length);
    return rows;
  });
  for (const [i, queue] of queues.entries()) {
    const row = queueRow[i] as HTMLElement;
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

/** Memory is touched, freed in part, and compacted by hand. */
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

test("pageblocks, scanners and the moving page follow the machine, and a text says if compaction is absent", async () => {
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
  expect(blocks.textContent).toContain("compacts the whole zone, triggered by hand; synchronous.");
  expect(blocks.textContent).toContain(`migrate scanner, block ${(run?.migrate_pfn ?? 0) >> 6}`);
  expect(blocks.textContent).toContain(
    `${run?.isolated} isolated, ${counted(run?.targets ?? 0, "free target")}`,
  );
  expect(blocks.querySelectorAll(".move-path").length).toBe(1);
  // Arrow keys read out a block.
  const grid = within(blocks).getByRole("grid");
  fireEvent.keyDown(grid, { key: "End" });
  expect(within(blocks).getByRole("gridcell").textContent).toMatch(/^block 63, 0xfc0 to 0xfff, /);

  await goTo(workbench, 0);
  expect(blocks.textContent).toContain("64 free");
  expect(blocks.querySelectorAll(".move-path, .scanner").length).toBe(0);

  act(() => workbench.open(compacted("lumpyreclaim-traceonly")));
  // The choice stays in another run.
  await waitFor(() =>
    expect(screen.getByRole("region", { name: /^Pageblocks/ }).textContent).toContain(
      "No compaction: this kernel was built without it.",
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
