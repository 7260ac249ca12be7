// Every screen and state to capture: `npm run shots` captures each in light and dark, wide and
// narrow.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, strToU8 } from "fflate";
import { combAddress, stepOfHint, stepOfMove, stepOfSkip } from "./comb.mjs";
import { MOMENTS, stepOf } from "./moments.mjs";
import { lessonShots } from "./shots.lessons.mjs";
import { FIRST_PARTS, SERIES, stormAddress } from "./storm.mjs";

/**
 * @typedef {import("@playwright/test").Page} Page
 *
 * @typedef {object} Shot
 * @property {string} name part of the file's name
 * @property {string} address the end of the page's address: "#/workbench" or "#/workbench?x=..."
 * @property {(page: Page) => Promise<unknown>} [prepare] brings the page into the state and waits for it
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

/** @param {string[]} keys the keys to press in order when the page is ready */
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

/** Plays a full-size machine for some seconds of wall-clock time. @param {Page} page */
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

/** Shows pageblocks at a step that is searched for first. @param {() => number} stepOfIt */
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

/** Zooms into the first map by keys. @param {number} levels */
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

/** Unfolds the details of a part of the experiment, and presses a button in it. @param {"machine" | "workload"} part @param {string} name @param {string} [shown] the text to scroll into view, if the button is gone */
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

/** @param {keyof typeof MOMENTS} moment */
const scenario = (moment) => preset(MOMENTS[moment].preset);

/** @type {Shot[]} */
export const shots = [
  ...lessonShots,
  {
    name: "home",
    address: "",
    prepare: (page) =>
      page
        .getByText(/not above low \(/)
        .first()
        .waitFor(),
  },
  {
    name: "home-ran",
    address: "",
    prepare: async (page) => {
      await page
        .getByText(/not above low \(/)
        .first()
        .waitFor();
      await page.getByRole("button", { name: "Run on" }).click();
      await page.waitForTimeout(9000);
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Run on" }).waitFor();
    },
  },
  {
    name: "term",
    address: "#/",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Node", exact: true }).first().click();
      await page.getByRole("complementary", { name: "Explanation" }).waitFor();
    },
  },
  { name: "glossary-word", address: "#/glossary/watermark" },
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
    name: "lru-lists-node",
    address: scenario("hogReclaims"),
    prepare: atMoment("hogReclaims", "Lists"),
  },
  {
    name: "lru-lists-zone",
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
      await page.getByText("Settings the dump does not contain").click();
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
    prepare: unfolded("machine", "Set at boot"),
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
  { name: "trace-empty", address: "#/trace" },
  {
    name: "trace",
    address: "#/trace",
    prepare: async (page) => {
      const folder = join(import.meta.dirname, "fixtures", "hog");
      const files = readdirSync(folder).map((file) => join(folder, file));
      await page.getByLabel("Files of a machine").setInputFiles(files);
      await page.getByRole("region", { name: "Reclaim in this trace" }).waitFor();
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
      await page.getByText("In your own page").click();
      const frame = page.frameLocator("dialog iframe");
      await frame.getByRole("button", { name: "Play" }).waitFor();
    },
  },
  { name: "frame-stage", address: "#/workbench?preset=first-touch.teach&embed=stage" },
  { name: "frame-faults", address: "#/workbench?embed=stage&theme=pink&controls=play,fly" },
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
    name: "report-two-lrus",
    address: "#/report/fsmark?columns=6.12+lru_gen.enabled=0,6.12+lru_gen.enabled=7",
    prepare: (page) => page.getByRole("button", { name: "Run 2 kernels" }).waitFor(),
  },
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
    name: "sweep",
    address: "#/sweep?preset=anon-hog.teach",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Run the sweep" }).click();
      await page.getByText("All 12 runs have finished.").waitFor();
    },
  },
  {
    name: "sweep-bad-link",
    address: "#/sweep?preset=no-such",
    prepare: (page) => page.getByRole("alert").waitFor(),
  },
  {
    name: "compare",
    address: "#/compare",
    prepare: async (page) => {
      await page.getByRole("button", { name: /^Open in both/ }).click();
      await page.getByText("The first decision that differs:").waitFor();
    },
  },
  {
    name: "compare-cpu-time",
    address: "#/compare",
    prepare: async (page) => {
      await page.getByRole("button", { name: /^Open in both/ }).click();
      const part = page.getByRole("region", { name: "CPU time" }).first();
      await part.getByRole("button", { name: "Show CPU time" }).click();
      await part.getByRole("table").waitFor();
    },
  },
  {
    name: "compare-choose",
    address: "#/compare",
    prepare: async (page) => {
      await page.getByRole("button", { name: /^Open in both/ }).waitFor();
      await page.getByRole("button", { name: /^Change B/ }).click();
    },
  },
  {
    name: "compare-bad-link",
    address: "#/compare?a=broken&b=broken",
    prepare: (page) => page.getByRole("alert").first().waitFor(),
  },
  { name: "runs", address: "#/runs" },
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
