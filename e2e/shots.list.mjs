// Every screen and state worth a picture: `npm run shots` takes each in light and dark, wide and
// narrow.

import { deflateSync, strToU8 } from "fflate";
import { MOMENTS, stepOf } from "./moments.mjs";

/**
 * @typedef {import("@playwright/test").Page} Page
 *
 * @typedef {object} Shot
 * @property {string} name part of the file's name
 * @property {string} address what follows the page's address: "" or "#/workbench?x=..."
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

/** @param {keyof typeof MOMENTS} moment */
const scenario = (moment) => preset(MOMENTS[moment].preset);

/** @type {Shot[]} */
export const shots = [
  { name: "first-visit", address: "", prepare: ready },
  { name: "boot", address: preset("first-touch.teach"), prepare: ready },
  { name: "stepped", address: "", prepare: press("ArrowDown", "ArrowRight", "ArrowRight") },
  { name: "end", address: preset("first-touch.teach"), prepare: press("End") },
  { name: "code", address: "", prepare: tab("Code") },
  { name: "tasks", address: "", prepare: tab("Tasks") },
  { name: "lists", address: "", prepare: tab("Lists") },
  { name: "real-size", address: preset("first-touch"), prepare: playOn },
  { name: "one-node", address: preset("mixed-types.teach"), prepare: press("End") },
  { name: "ppc64", address: preset("first-touch.ppc64.teach"), prepare: press("End") },
  { name: "run-out", address: preset("run-out.teach"), prepare: press("End") },
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
  {
    name: "dirty",
    address: scenario("writerIsThrottled"),
    prepare: atMoment("writerIsThrottled", "Tasks"),
  },
  {
    name: "free-lists",
    address: "",
    prepare: async (page) => {
      await ready(page);
      if (await isPhone(page)) await page.getByRole("button", { name: "Lists" }).click();
      else await page.getByRole("button", { name: "Free lists" }).first().click();
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
    address: "",
    prepare: async (page) => {
      await ready(page);
      if (await isPhone(page)) await page.getByRole("button", { name: "Menu" }).click();
    },
  },
  {
    name: "import",
    address: "",
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
  { name: "help", address: "", prepare: press("?") },
  { name: "share", address: "", prepare: press("s") },
  { name: "procfs", address: "", prepare: press("p") },
  { name: "goto", address: "", prepare: press("g") },
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
];
