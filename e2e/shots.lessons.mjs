// Screenshots of lessons, in the format of shots.list.mjs.

/** @typedef {import("@playwright/test").Page} Page */

const LESSON = "#/lesson/watermarks-and-kswapd";

const STALL = "#/lesson/the-stall-that-was-not-the-disk";
const LOWER_ZONE = "#/lesson/when-kswapd-shrinks-a-zone-that-was-fine";
const NODES = "#/lesson/tasks-and-their-memory";
const SWAP = "#/lesson/anonymous-memory-and-swap";
const ZONES = "#/lesson/nodes-and-zones";
const GENERATIONS = "#/lesson/old-pages-young-pages";
const DIRTY = "#/lesson/dirty-pages";

/** @param {Page} page */
const onStage = (page) => page.getByRole("img", { name: /^Zone Normal on node 0:/ }).waitFor();

/** Makes the lesson show all of its text. @param {Page} page */
const showAll = async (page) => {
  const show = page.getByRole("button", { name: "Show me anyway" });
  await show.first().waitFor();
  while ((await show.count()) > 0) await show.first().click();
};

/** Answers a question of the lesson. @param {string} question @param {RegExp} answer */
const answered =
  (question, answer) =>
  /** @param {Page} page */
  async (page) => {
    await onStage(page);
    await showAll(page);
    const ask = page.getByRole("region", { name: "Prediction", exact: true });
    const one = ask.filter({ hasText: question });
    await one.scrollIntoViewIfNeeded();
    await one.getByRole("radio", { name: answer }).check();
    await one.getByRole("button", { name: "Run it" }).click();
    await one.getByText(/^(Right\.|Not this time)/).waitFor();
    await one.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await page.waitForTimeout(1500);
  };

/** @type {import("./shots.list.mjs").Shot[]} */
export const lessonShots = [
  { name: "lesson", address: LESSON, prepare: onStage },
  { name: "stall", address: STALL, prepare: onStage },
  {
    name: "lesson-waits",
    address: LESSON,
    prepare: async (page) => {
      await onStage(page);
      const ask = page.getByRole("region", { name: "Prediction", exact: true }).first();
      await ask.evaluate((element) => element.scrollIntoView({ block: "center" }));
      await page.waitForTimeout(800);
    },
  },
  { name: "stall-wrong", address: STALL, prepare: answered("32 ms later", /^All 200/) },
  {
    name: "stall-published",
    address: STALL,
    prepare: async (page) => {
      await onStage(page);
      await showAll(page);
      const table = page.getByRole("figure", { name: "Published: LARGE DD" });
      await table.evaluate((element) => element.scrollIntoView({ block: "center" }));
      await page.waitForTimeout(800);
    },
  },
  {
    name: "stall-built",
    address: STALL,
    prepare: async (page) => {
      await onStage(page);
      await showAll(page);
      const build = page.getByRole("region", { name: "Construction" });
      await build.getByRole("button", { name: "pages being written" }).click();
      const mode = build.getByRole("group", { name: "vm.zone_reclaim_mode" });
      await mode.getByRole("button", { name: "1", exact: true }).click();
      await build.getByRole("button", { name: "Try it" }).click();
      await build.getByText("Built.").waitFor();
      await build.evaluate((element) => element.scrollIntoView({ block: "center" }));
      await page.waitForTimeout(1500);
    },
  },
  {
    name: "lesson-bell",
    address: LESSON,
    prepare: async (page) => {
      await page.getByRole("button", { name: "At 40 free pages" }).click();
      await page
        .getByText(/kswapd of the node is woken/)
        .first()
        .waitFor();
    },
  },
  { name: "page-cache", address: "#/lesson/page-cache", prepare: answered("free after", /^As/) },
  { name: "lesson-wrong", address: LESSON, prepare: answered("streams the whole film", /^kswapd/) },
  { name: "lesson-right", address: LESSON, prepare: answered("is the book read", /^Every time/) },
  {
    name: "lesson-lower-zone",
    address: LOWER_ZONE,
    prepare: answered("pages are evicted sooner", /^Those of DMA32/),
  },
  {
    name: "lesson-zones",
    address: ZONES,
    prepare: answered("pages of DMA32 are free", /^190/),
  },
  {
    name: "lesson-luck",
    address: LESSON,
    prepare: async (page) => {
      await answered("reclaim pages itself", /^Yes/)(page);
      await page.getByRole("button", { name: "Run all 60" }).click();
      await page.getByText("60 of 60 runs").waitFor();
      await page.getByRole("region", { name: "60 runs" }).evaluate((element) => {
        element.scrollIntoView({ block: "center" });
      });
      await page.waitForTimeout(800);
    },
  },
  {
    name: "lesson-generations",
    address: GENERATIONS,
    prepare: async (page) => {
      await showAll(page);
      await page.getByRole("button", { name: "At the second aging", exact: true }).click();
      await page
        .getByText(/812 entries, 812 used/)
        .first()
        .waitFor();
      await page.waitForTimeout(800);
    },
  },
  {
    name: "lesson-generations-wrong",
    address: GENERATIONS,
    prepare: answered("still have in memory", /^Both/),
  },
  { name: "lesson-dirty", address: DIRTY, prepare: answered("is on it?", /^All of it/) },
  { name: "frame-lesson", address: "#/lesson/watermarks-and-kswapd?embed=lesson" },
  {
    name: "lesson-nodes",
    address: NODES,
    prepare: async (page) => {
      await page.locator(".live .cpus").waitFor();
    },
  },
  {
    name: "lesson-nodes-placed",
    address: NODES,
    prepare: async (page) => {
      await showAll(page);
      await page.getByRole("button", { name: "After 600 ms", exact: true }).click();
      await page.waitForTimeout(2500);
    },
  },
  {
    name: "lesson-swap",
    address: SWAP,
    prepare: async (page) => {
      await onStage(page);
      await showAll(page);
      await page.getByRole("button", { name: "The page gets a swap slot" }).click();
      await page
        .getByText(/gets swap slot 1/)
        .first()
        .waitFor();
    },
  },
  { name: "lesson-swap-wrong", address: SWAP, prepare: answered("What happens", /^The editor/) },
  {
    name: "lesson-stalling",
    address: "#/lesson/stalling-on-nothing",
    prepare: async (page) => {
      await page.locator(".live .queue").first().waitFor({ state: "attached" });
    },
  },
  {
    name: "lesson-stalling-built",
    address: "#/lesson/stalling-on-nothing",
    prepare: async (page) => {
      const show = page.getByRole("button", { name: "Show me anyway" });
      await show.first().waitFor();
      while ((await show.count()) > 0) await show.first().click();
      const build = page.getByRole("region", { name: "Construction" });
      for (const part of [1, 2, 3, 4, 6, 7]) {
        const group = build.getByRole("group", { name: new RegExp(`^part ${part}, `) });
        await group.getByRole("button", { name: "in", exact: true }).click();
      }
      await build.getByRole("button", { name: "Try it" }).click();
      await build.getByText("Built.").scrollIntoViewIfNeeded();
    },
  },
  {
    name: "lesson-frames",
    address: "#/lesson/pages-and-frames",
    prepare: async (page) => {
      await showAll(page);
      await page.getByRole("button", { name: "2,051 frames are free" }).click();
      await page.waitForTimeout(800);
    },
  },
  {
    name: "lesson-huge-page",
    address: "#/lesson/making-room-for-a-huge-page",
    prepare: async (page) => {
      await page.locator(".live .machine, .live .stage").first().waitFor({ state: "attached" });
    },
  },
  {
    name: "lesson-huge-page-built",
    address: "#/lesson/making-room-for-a-huge-page",
    prepare: async (page) => {
      const show = page.getByRole("button", { name: "Show me anyway" });
      await show.first().waitFor();
      while ((await show.count()) > 0) await show.first().click();
      const build = page.getByRole("region", { name: "Construction" });
      for (const value of ["after it", "1,536", "7 of 8"]) {
        await build.getByRole("button", { name: value, exact: true }).click();
      }
      await build.getByRole("button", { name: "Try it" }).click();
      await build.getByText("Built.").scrollIntoViewIfNeeded();
    },
  },
];
