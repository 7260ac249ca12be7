// Every screen and state worth a picture: `npm run shots` takes each in light and dark, wide and
// narrow.

import { deflateSync, strToU8 } from "fflate";
import { combAddress, stepOfHint, stepOfMove, stepOfSkip } from "./comb.mjs";
import { MOMENTS, stepOf } from "./moments.mjs";
import { FIRST_PARTS, SERIES, stormAddress } from "./storm.mjs";

/**
 * @typedef {import("@playwright/test").Page} Page
 *
 * @typedef {object} Shot
 * @property {string} name part of the file's name
 * @property {string} address what follows the page's address: "#/workbench" or "#/workbench?x=..."
 * @property {(page: Page) => Promise<unknown>} [prepare] brings the page into the state, and waits for it
 */

/** @param {unknown} document a link's document */
const at = (document) => {
  const packed = Buffer.from(deflateSync(strToU8(JSON.stringify(document)))).toString("base64url");
  return `#/workbench?x=${packed}`;
};

/** @param {string} preset */
const preset = (preset) => at({ v: 1, preset });

/** @param {Page} page */
const ready = (page) => page.getByRole("region", { name: "Why" }).locator("p").first().waitFor();

/** @param {Page} page */
const isPhone = async (page) => (page.viewportSize()?.width ?? 0) <= 760;

/** @param {string[]} keys pressed one after the other once the page is ready */
const press =
  (...keys) =>
  /** @param {Page} page */
  async (page) => {
    await ready(page);
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForTimeout(150);
    }
  };

/** @param {string} name */
const tab =
  (name) =>
  /** @param {Page} page */
  async (page) => {
    await ready(page);
    if (await isPhone(page)) await page.getByRole("button", { name, exact: true }).click();
  };

/** Plays a real-size machine for some seconds of the camera's time. @param {Page} page */
const playOn = async (page) => {
  await ready(page);
  for (let i = 0; i < 12; i += 1) await page.keyboard.press("]");
  await page.keyboard.press("l");
  await page.waitForTimeout(4000);
  await page.keyboard.press("k");
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
};

/** Goes to a moment, and on a phone to a tab. @param {keyof typeof MOMENTS} moment @param {string} name */
const atMoment =
  (moment, name) =>
  /** @param {Page} page */
  async (page) => {
    await ready(page);
    const step = stepOf(moment);
    await page.keyboard.press("g");
    await page.getByRole("textbox", { name: "Step or time" }).fill(`#${step}`);
    await page.keyboard.press("Enter");
    const clock = page.getByTitle("Go to a step or time");
    await clock.filter({ hasText: `#${step.toLocaleString("en-GB")} ` }).waitFor();
    if (await isPhone(page)) await page.getByRole("button", { name, exact: true }).click();
  };

/** Goes to a time, and on a phone to a tab. @param {string} time @param {string} name */
const atTime =
  (time, name, part = ".queue") =>
  /** @param {Page} page */
  async (page) => {
    await ready(page);
    await page.keyboard.press("g");
    await page.getByRole("textbox", { name: "Step or time" }).fill(time);
    await page.keyboard.press("Enter");
    if (await isPhone(page)) await page.getByRole("button", { name, exact: true }).click();
    await page.locator(part).first().scrollIntoViewIfNeeded();
  };

/** Shows pageblocks at a step, which is looked for first. @param {() => number} stepOfIt */
const atBlocks =
  (stepOfIt) =>
  /** @param {Page} page */
  async (page) => {
    await ready(page);
    await page.keyboard.press("g");
    await page.getByRole("textbox", { name: "Step or time" }).fill(`#${stepOfIt()}`);
    await page.keyboard.press("Enter");
    const name = (await isPhone(page)) ? "Lists" : "Pageblocks";
    await page.getByRole("button", { name, exact: true }).click();
    await page.locator(".pageblocks .said").scrollIntoViewIfNeeded();
  };

/** Opens the event log at a moment, and waits for its events. @param {keyof typeof MOMENTS} moment */
const logAt =
  (moment) =>
  /** @param {Page} page */
  async (page) => {
    await atMoment(moment, "Machine")(page);
    await page.keyboard.press("e");
    await page
      .getByText(/^[\d,]+ events from/)
      .first()
      .waitFor();
    await page.getByRole("grid", { name: "Events" }).focus();
    await page.keyboard.press("ArrowUp");
  };

/**
 * Opens an explanation at a moment.
 * @param {keyof typeof MOMENTS} moment
 * @param {"Page frame" | "Reclaim" | "Allocation"} part
 */
const explained =
  (moment, part) =>
  /** @param {Page} page */
  async (page) => {
    await atMoment(moment, "Code")(page);
    await page.getByRole("tab", { name: "Explain" }).click();
    const panel = page.getByRole("region", { name: "Explain" });
    if (part === "Page frame") {
      const why = page.getByRole("region", { name: "Why" });
      await why.getByRole("button", { name: /^0x/ }).first().click();
    }
    await panel.getByRole("button", { name: part, exact: true }).click();
    await panel
      .getByRole("button", { name: /^Go to step/ })
      .first()
      .waitFor();
  };

/** Goes into the first map by keys. @param {number} levels */
const zoomed =
  (levels) =>
  /** @param {Page} page */
  async (page) => {
    await ready(page);
    const map = page.locator(".map").first();
    await map.getByRole("grid").focus();
    await page.keyboard.press("End");
    for (let level = 0; level < levels; level += 1) {
      await page.keyboard.press("Enter");
      await page.waitForTimeout(800);
    }
    await map.evaluate((element) => element.scrollIntoView({ block: "center" }));
  };

/** Unfolds the inside of a part of the experiment, and presses something in it. @param {"machine" | "workload"} part @param {string} name @param {string} [shown] what is brought into view where the button goes */
const unfolded =
  (part, name, shown) =>
  /** @param {Page} page */
  async (page) => {
    await ready(page);
    await page.keyboard.press("x");
    const dialog = page.getByRole("dialog", { name: "The experiment" });
    await dialog.getByText(`Inside the ${part}`).click();
    const item = dialog.getByRole("button", { name, exact: true });
    await item.click();
    if (part === "workload") await dialog.getByRole("button", { name: /^map / }).first().click();
    const place = shown === undefined ? item : dialog.getByText(shown, { exact: true });
    await place.evaluate((element) => element.scrollIntoView());
  };

const LESSON = "#/lesson/watermarks-and-kswapd";

const STALL = "#/lesson/the-stall-that-was-not-the-disk";
const LOWER_ZONE = "#/lesson/when-kswapd-shrinks-a-zone-that-was-fine";
const NODES = "#/lesson/tasks-and-their-memory";
const SWAP = "#/lesson/anonymous-memory-and-swap";
const ZONES = "#/lesson/nodes-and-zones";
const DIRTY = "#/lesson/dirty-pages";

/** @param {Page} page */
const onStage = (page) => page.getByRole("img", { name: /^Zone Normal on node 0:/ }).waitFor();

/** Has a lesson show everything. @param {Page} page */
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

/** @param {keyof typeof MOMENTS} moment */
const scenario = (moment) => preset(MOMENTS[moment].preset);

/** @type {Shot[]} */
export const shots = [
  {
    name: "home",
    address: "",
    prepare: (page) =>
      page
        .getByText(/not above the low mark/)
        .first()
        .waitFor(),
  },
  {
    name: "home-ran",
    address: "",
    prepare: async (page) => {
      await page
        .getByText(/not above the low mark/)
        .first()
        .waitFor();
      await page.getByRole("button", { name: "Run on" }).click();
      await page.waitForTimeout(9000);
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Run on" }).waitFor();
    },
  },
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
  { name: "lesson-dirty", address: DIRTY, prepare: answered("is on it?", /^All of it/) },
  { name: "first-visit", address: "#/workbench", prepare: ready },
  { name: "boot", address: preset("first-touch.teach"), prepare: ready },
  {
    name: "stepped",
    address: "#/workbench",
    prepare: press("ArrowDown", "ArrowRight", "ArrowRight"),
  },
  { name: "end", address: preset("first-touch.teach"), prepare: press("End") },
  { name: "code", address: "#/workbench", prepare: tab("Code") },
  { name: "tasks", address: "#/workbench", prepare: tab("Tasks") },
  { name: "lists", address: "#/workbench", prepare: tab("Lists") },
  { name: "real-size", address: preset("first-touch"), prepare: playOn },
  { name: "zoom-zone", address: preset("first-touch"), prepare: zoomed(1) },
  { name: "zoom-block", address: preset("first-touch"), prepare: zoomed(2) },
  { name: "zoom-page", address: preset("first-touch"), prepare: zoomed(3) },
  { name: "zoom-page-small", address: "#/workbench", prepare: zoomed(1) },
  { name: "one-node", address: preset("mixed-types.teach"), prepare: press("End") },
  { name: "ppc64", address: preset("first-touch.ppc64.teach"), prepare: press("End") },
  { name: "run-out", address: preset("run-out.teach"), prepare: press("End") },
  { name: "out-of-memory", address: preset("out-of-memory.teach"), prepare: press("End") },
  { name: "kernel-among-user", address: preset("kernel-among-user.teach"), prepare: press("End") },
  {
    name: "woken",
    address: scenario("readerWakesKswapd"),
    prepare: atMoment("readerWakesKswapd", "Machine"),
  },
  {
    name: "belts-node",
    address: scenario("hogReclaims"),
    prepare: atMoment("hogReclaims", "Lists"),
  },
  {
    name: "belts-zone",
    address: scenario("readersKswapdFrees"),
    prepare: atMoment("readersKswapdFrees", "Lists"),
  },
  { name: "swapping", address: scenario("hogSwaps"), prepare: atMoment("hogSwaps", "Tasks") },
  { name: "costs", address: preset("fsmark.teach"), prepare: atMoment("zoneReclaimed", "Tasks") },
  {
    name: "directions",
    address: preset("streaming-reader.teach"),
    prepare: atMoment("kswapdAgainstAllocator", "Machine"),
  },
  {
    name: "read-again",
    address: preset("tiobench.teach"),
    prepare: atMoment("readAgain", "Lists"),
  },
  {
    name: "dirty",
    address: scenario("writerIsThrottled"),
    prepare: atMoment("writerIsThrottled", "Tasks"),
  },
  {
    name: "free-lists",
    address: preset("first-touch.teach"),
    prepare: async (page) => {
      await ready(page);
      if (await isPhone(page)) await page.getByRole("button", { name: "Lists" }).click();
      else await page.getByRole("button", { name: "Free lists" }).first().click();
    },
  },
  {
    name: "free-lists-over-time",
    address: preset("stress-highalloc.teach"),
    prepare: async (page) => {
      await ready(page);
      if (await isPhone(page)) await page.getByRole("button", { name: "Lists" }).click();
      await page.getByRole("button", { name: "over time" }).first().click();
      await page.locator(".free-history").scrollIntoViewIfNeeded();
    },
  },
  {
    name: "long-run",
    address: preset("streaming-reader"),
    prepare: async (page) => {
      await ready(page);
      await page.keyboard.press("End");
      await page.getByRole("progressbar").waitFor();
      await page.waitForTimeout(4000);
    },
  },
  { name: "reclaim-real-size", address: preset("streaming-reader"), prepare: playOn },
  {
    name: "menu",
    address: "#/workbench",
    prepare: async (page) => {
      await ready(page);
      if (await isPhone(page)) await page.getByRole("button", { name: "Menu" }).click();
    },
  },
  {
    name: "import",
    address: "#/workbench",
    prepare: async (page) => {
      await ready(page);
      if (await isPhone(page)) await page.getByRole("button", { name: "Menu" }).click();
      await page
        .getByRole("button", { name: /^Your machine/ })
        .last()
        .click();
      await page.getByText("What the dump does not say").click();
    },
  },
  {
    name: "explain-life",
    address: scenario("hogSwaps"),
    prepare: explained("hogSwaps", "Page frame"),
  },
  {
    name: "explain-reclaim",
    address: scenario("readersKswapdFrees"),
    prepare: explained("readersKswapdFrees", "Reclaim"),
  },
  {
    name: "explain-allocation",
    address: scenario("hogReclaims"),
    prepare: explained("hogReclaims", "Allocation"),
  },
  { name: "event-log", address: scenario("hogReclaims"), prepare: logAt("hogReclaims") },
  {
    name: "event-log-decisions",
    address: scenario("hogReclaims"),
    prepare: async (page) => {
      await logAt("hogReclaims")(page);
      await page.getByRole("button", { name: "Decisions: None" }).click();
      await page.getByRole("menuitemradio", { name: /^Shown/ }).click();
      await page
        .getByText(/^[\d,]+ events and decisions from/)
        .first()
        .waitFor();
    },
  },
  {
    name: "timeline-table",
    address: scenario("hogSwaps"),
    prepare: async (page) => {
      await atMoment("hogSwaps", "Machine")(page);
      await page.keyboard.press("s");
      await page.getByRole("button", { name: "Table", exact: true }).click();
      await page.getByRole("dialog", { name: "The timeline as a table" }).waitFor();
    },
  },
  { name: "machine-form", address: "#/workbench", prepare: unfolded("machine", "Node 0") },
  {
    name: "machine-form-zones",
    address: "#/workbench",
    prepare: unfolded("machine", "Set the zones by hand", "Zones"),
  },
  {
    name: "machine-form-tunables",
    address: "#/workbench",
    prepare: unfolded("machine", "Set as it boots"),
  },
  { name: "workload-form", address: "#/workbench", prepare: unfolded("workload", "touch") },
  {
    name: "function-selected",
    address: scenario("hogReclaims"),
    prepare: async (page) => {
      await atMoment("hogReclaims", "Code")(page);
      const stack = page.getByRole("region", { name: "Call stack" });
      await stack.getByRole("button", { name: "shrink_inactive_list" }).click();
    },
  },
  { name: "help", address: "#/workbench", prepare: press("?") },
  { name: "projector", address: "#/workbench", prepare: press("Shift+P") },
  { name: "share", address: "#/workbench", prepare: press("s") },
  {
    name: "share-frame",
    address: "#/workbench",
    prepare: async (page) => {
      await press("s")(page);
      await page.getByText("In a page of your own").click();
      const frame = page.frameLocator("dialog iframe");
      await frame.getByRole("button", { name: "Play" }).waitFor();
    },
  },
  { name: "frame-stage", address: "#/workbench?preset=first-touch.teach&embed=stage" },
  { name: "frame-faults", address: "#/workbench?embed=stage&theme=pink&controls=play,fly" },
  { name: "frame-lesson", address: "#/lesson/watermarks-and-kswapd?embed=lesson" },
  { name: "frame-report", address: "#/report/fsmark?embed=report" },
  {
    name: "note",
    address: at({
      v: 3,
      preset: "first-touch.teach",
      title: "Before anything runs",
      note: "Every page is free. Play, and watch which zone empties first:\nit is not the one that has the fewest pages.",
    }),
    prepare: (page) => page.getByRole("region", { name: "About this moment" }).waitFor(),
  },
  {
    name: "saved",
    address: "#/workbench",
    prepare: async (page) => {
      await press("Shift+S")(page);
      await page.getByRole("textbox", { name: "Title" }).fill("The first refusal");
      await page.getByRole("button", { name: "Save this moment" }).click();
      await page.getByRole("listitem").filter({ hasText: "The first refusal" }).waitFor();
    },
  },
  { name: "procfs", address: "#/workbench", prepare: press("p") },
  { name: "goto", address: "#/workbench", prepare: press("g") },
  {
    name: "refused",
    address: at({ v: 1, preset: "first-touch.teach", changes: [[["length"], "5000000s"]] }),
    prepare: (page) => page.getByRole("alertdialog").waitFor(),
  },
  {
    name: "damaged",
    address: "#/workbench?x=AAAA",
    prepare: (page) => page.getByRole("alertdialog").waitFor(),
  },
  { name: "lesson-folder", address: "#/lesson-folder" },
  { name: "reports", address: "#/report" },
  {
    name: "report",
    address: "#/report/fsmark",
    prepare: async (page) => {
      await page.getByRole("radio", { name: "Teaching size" }).check();
      await page.getByRole("button", { name: "Run 3 kernels" }).click();
      await page.getByText("All kernels have run.").waitFor();
    },
  },
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
  { name: "queues-vanilla", address: stormAddress("5.15"), prepare: atTime("500 ms", "Tasks") },
  {
    name: "queues-parts",
    address: stormAddress("5.15", FIRST_PARTS),
    prepare: atTime("600 ms", "Tasks"),
  },
  {
    name: "explain-wait",
    address: stormAddress("5.15", FIRST_PARTS),
    prepare: async (page) => {
      await ready(page);
      if (await isPhone(page))
        await page.getByRole("button", { name: "Code", exact: true }).click();
      await page.keyboard.press("g");
      await page.getByRole("textbox", { name: "Step or time" }).fill("429.3 ms");
      await page.keyboard.press("Enter");
      await page.getByRole("tab", { name: "Explain" }).click();
      const panel = page.getByRole("region", { name: "Explain" });
      await panel.getByRole("button", { name: "Wait", exact: true }).click();
      await panel
        .getByRole("button", { name: /^Go to step/ })
        .first()
        .waitFor();
    },
  },
  {
    name: "memory-by-node",
    address: at({
      v: 4,
      preset: "first-touch.threads.teach",
      changes: [[["interventions"], [{ at: "20ms", affinity: { task: "worker/3", node: 0 } }]]],
      view: { cpus: true },
    }),
    prepare: atTime("40 ms", "Tasks", ".mem-nodes"),
  },
  { name: "queues-series", address: stormAddress(SERIES), prepare: atTime("700 ms", "Tasks") },
  { name: "queues-later", address: stormAddress("6.1"), prepare: atTime("300 ms", "Tasks") },
  {
    name: "pageblocks",
    address: combAddress("fastscan"),
    prepare: atBlocks(() => stepOfMove("fastscan")),
  },
  {
    name: "pageblocks-skipped",
    address: combAddress("fastscan"),
    prepare: atBlocks(() => stepOfSkip("fastscan")),
  },
  {
    name: "pageblocks-hint",
    address: combAddress("compacthint"),
    prepare: atBlocks(() => stepOfHint("compacthint")),
  },
  {
    name: "pageblocks-absent",
    address: combAddress("lumpyreclaim-traceonly"),
    prepare: atBlocks(() => 100_000),
  },
];
