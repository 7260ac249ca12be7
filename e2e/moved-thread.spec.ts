// Moves a thread to another node than its memory, and checks the cost of each later access and its reason.

import { expect, type Page, test } from "@playwright/test";
import { axeFindsNothing } from "./axe";
import {
  atStart,
  clockOf,
  currentStep,
  goToStep,
  isFound,
  pressOn,
  settled,
  stepOn,
  whyOf,
} from "./journey";
import { openPreset } from "./links";
import { sideways, smallTexts } from "./measurements";

const memory = (page: Page) => page.getByRole("region", { name: "Memory by node" });
const explain = (page: Page) => page.getByRole("region", { name: "Explain" });
const dialog = (page: Page) => page.getByRole("dialog", { name: "Disturb the machine" });
const cell = (page: Page, node: number, from: number) =>
  memory(page).locator(`td[data-memory="${node}"][data-from="${from}"]`);

/** The moved bytes in the text of a cell. */
const moved = async (page: Page, node: number, from: number) =>
  (await cell(page, node, from).locator("b").textContent()) ?? "";

async function goToTime(page: Page, time: string) {
  const before = await currentStep(page);
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Step or time" }).fill(time);
  await page.keyboard.press("Enter");
  await expect.poll(() => currentStep(page)).not.toBe(before);
  await expect(clockOf(page)).toBeEnabled();
}

/** The CPU of a task. */
const tokenOn = (page: Page, node: number, task: string) =>
  page.locator(`.cpu[data-node="${node}"]`).getByRole("button", { name: task });

/** Steps until the reason of a step matches. */
async function stepTo(page: Page, words: RegExp) {
  for (let i = 0; i < 300; i += 1) {
    if (words.test((await whyOf(page).textContent()) ?? "")) return;
    await stepOn(page);
  }
  await expect(whyOf(page)).toHaveText(words);
}

/** Moves a thread to the CPUs of a node at the current moment. */
async function move(page: Page, task: string, node: number) {
  await page.keyboard.press("d");
  const form = dialog(page).getByRole("group", { name: "Move a task" });
  await form.getByRole("combobox", { name: "Task to move" }).selectOption(task);
  await form.getByRole("combobox", { name: "Where it may run" }).selectOption(String(node));
  await form.getByRole("button", { name: "Move", exact: true }).click();
  await expect(dialog(page)).toBeHidden();
}

test("a moved thread pays for each access to memory on its old node, and a step back removes the cost", async ({
  page,
}) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openPreset(page, "first-touch.threads.teach", { cpus: true });
  await atStart(page);
  await expect(memory(page)).toBeVisible();
  await expect(cell(page, 1, 0)).toContainText("0\u202fB");

  // Each thread has its pages on its own node: no traffic crosses the link.
  await goToTime(page, "19.6 ms");
  expect(await moved(page, 1, 0)).toBe("0\u202fB");
  expect(await moved(page, 0, 1)).toBe("0\u202fB");
  expect(await moved(page, 1, 1)).toMatch(/MiB$/);
  await stepTo(page, /is on the node of this CPU/);
  await page.getByRole("tab", { name: "Explain" }).click();
  await expect(explain(page)).toContainText("a local access");

  await expect(tokenOn(page, 1, "worker/3")).toBeVisible();
  await move(page, "worker/3", 0);
  await goToTime(page, "25.4 ms");
  const clock = await clockOf(page).boundingBox();
  expect((clock?.x ?? 0) + (clock?.width ?? 0)).toBeLessThanOrEqual(1440);
  await expect(tokenOn(page, 0, "worker/3")).toBeVisible();
  await expect(tokenOn(page, 1, "worker/3")).toHaveCount(0);
  await stepOn(page);
  await stepTo(page, /is on node 1 and the CPU is on node 0/);
  await expect(whyOf(page)).toHaveText(
    /accessing 4,096 bytes takes 610 ns instead of 486 ns for local memory\.$/,
  );

  // The bytes of this step are shown beside the total since boot, and both grow.
  await expect(cell(page, 1, 0).locator(".more")).toHaveText("+4\u202fKiB");
  const before = await moved(page, 1, 0);
  expect(before).toMatch(/MiB$/);

  await explain(page).getByRole("button", { name: "Access", exact: true }).click();
  await isFound(explain(page).locator(".look"));
  await expect(explain(page)).toContainText("worker/3 on CPU");
  await expect(explain(page)).toContainText("a remote access");
  await expect(explain(page)).toContainText("124\u202fns more");
  await expect(explain(page)).toContainText("link between nodes 1 and 0");
  await expect(explain(page)).toContainText(/Nothing is queued|An access made now waits/);
  await axeFindsNothing(page);

  const remote = await currentStep(page);
  await goToTime(page, "40 ms");
  await expect.poll(() => moved(page, 1, 0)).not.toBe(before);

  // Before the move, the same thread's pages are local again.
  await goToStep(page, remote);
  await pressOn(page, "ArrowLeft");
  await goToTime(page, "19.5 ms");
  expect(await moved(page, 1, 0)).toBe("0\u202fB");
  await stepTo(page, /is on the node of this CPU/);
  await expect(explain(page)).toContainText("a local access");
});

test("with NUMA balancing, the pages follow a moved thread and its accesses become local again", async ({
  page,
}) => {
  test.slow();
  await openPreset(page, "first-touch.follow.teach", { cpus: true });
  await atStart(page);
  await goToTime(page, "19.6 ms");
  await move(page, "worker/3", 0);
  await goToTime(page, "25.4 ms");
  const [first, later] = [await moved(page, 1, 0), "70 ms"];
  await goToTime(page, later);
  const followed = await moved(page, 1, 0);
  expect(followed).not.toBe(first);
  // Nearly all pages that this thread reads are now on its own node.
  await goToTime(page, "90 ms");
  const grown = Number.parseFloat(await moved(page, 1, 0)) - Number.parseFloat(followed);
  expect(grown).toBeLessThan(Number.parseFloat(followed) / 2);
});

test("the memory of nodes does not move, is readable, and is absent on other machines", async ({
  page,
}) => {
  await openPreset(page, "first-touch.threads.teach", { cpus: true });
  await atStart(page);
  await expect(memory(page)).toBeVisible();
  // Lists above it unfold when they receive their first page. After that, its position is fixed.
  await goToTime(page, "2 ms");
  const place = () => settled(() => memory(page).boundingBox());
  const before = await place();
  await goToTime(page, "19.6 ms");
  expect(await place()).toEqual(before);
  for (const width of [1920, 1440, 1024, 700]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => smallTexts(page), `at ${width} px`).toEqual([]);
    await expect.poll(() => sideways(page), `at ${width} px`).toBeLessThanOrEqual(0);
  }
  await openPreset(page, "first-touch.teach");
  await atStart(page);
  await expect(memory(page)).toHaveCount(0);
  await page.getByRole("tab", { name: "Explain" }).click();
  await expect(explain(page).getByRole("button", { name: "Access", exact: true })).toHaveCount(0);
});
