// Every screen and state worth a picture: `npm run shots` takes each in light and dark, wide and
// narrow.

import { deflateSync, strToU8 } from "fflate";

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
  await page.waitForTimeout(600);
};

/** Goes to a step, and on a phone to a tab. @param {string} step @param {string} name */
const atStep =
  (step, name) =>
  /** @param {Page} page */
  async (page) => {
    await ready(page);
    await page.keyboard.press("g");
    await page.getByRole("textbox", { name: "Step or time" }).fill(step);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(1500);
    if (await isPhone(page)) await page.getByRole("button", { name, exact: true }).click();
  };

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
  { name: "belts-node", address: preset("anon-hog.teach"), prepare: atStep("#121585", "Lists") },
  {
    name: "belts-zone",
    address: preset("streaming-reader.teach"),
    prepare: atStep("#781798", "Lists"),
  },
  { name: "swapping", address: preset("anon-hog.teach"), prepare: atStep("#200000", "Tasks") },
  { name: "dirty", address: preset("dirty-writer.teach"), prepare: atStep("#93163", "Tasks") },
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
