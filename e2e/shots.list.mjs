// Every screen and state worth a picture: `npm run shots` takes each in light and dark, wide and
// narrow.

/**
 * @typedef {object} Shot
 * @property {string} name part of the file's name
 * @property {string} address what follows the page's address: "" or "#/workbench?x=..."
 * @property {(page: import("@playwright/test").Page) => Promise<unknown>} [prepare] brings the page into the state, and waits for it
 */

/** @type {Shot[]} */
export const shots = [
  {
    name: "start",
    address: "",
    prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
];
