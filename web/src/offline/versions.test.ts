import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cacheOf, cachesOfOthers, showAll, type Tab, WHICH_PAGE } from "./versions";

const SCOPE = "https://a.example/some/where/";
const FILES = new Set([`${SCOPE}assets/index-2.js`, `${SCOPE}index.html`]);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => vi.useRealTimers());

/** A tab that answers with its first script, or never. */
const tab = (script: string | null, url = `${SCOPE}#/workbench`): Tab => ({
  url,
  postMessage: (message, [port]) => {
    expect(message).toBe(WHICH_PAGE);
    if (script !== null) (port as MessagePort).postMessage(script);
  },
});

async function areAllNew(...tabs: Tab[]): Promise<boolean> {
  const all = showAll(tabs, SCOPE, FILES);
  // Messages come between real turns, the patience passes at once.
  await new Promise((turn) => setImmediate(turn));
  await new Promise((turn) => setImmediate(turn));
  await vi.advanceTimersByTimeAsync(10_000);
  return all;
}

test("files of earlier versions may go once every tab shows this one", async () => {
  expect(await areAllNew()).toBe(true);
  expect(await areAllNew(tab(`${SCOPE}assets/index-2.js`))).toBe(true);
});

test("they stay while a tab shows an earlier one, or does not say", async () => {
  const own = tab(`${SCOPE}assets/index-2.js`);
  expect(await areAllNew(own, tab(`${SCOPE}assets/index-1.js`))).toBe(false);
  expect(await areAllNew(own, tab(""))).toBe(false);
  expect(await areAllNew(own, tab(null))).toBe(false);
});

test("a tab of another page of the same host counts for nothing", async () => {
  expect(await areAllNew(tab(null, "https://a.example/other/"))).toBe(true);
});

test("each version has a cache of its own, by what is in it", () => {
  const [one, two] = [[{ url: "a", revision: "1" }], [{ url: "a", revision: "2" }]];
  expect(cacheOf(SCOPE, one)).toBe(cacheOf(SCOPE, structuredClone(one)));
  expect(cacheOf(SCOPE, one)).not.toBe(cacheOf(SCOPE, two));
});

test("the caches of other versions are those of this page, and of versions that named theirs otherwise", () => {
  const own = cacheOf(SCOPE, 1);
  const before = cacheOf(SCOPE, 2);
  const first = `workbox-precache-v2-${SCOPE}`;
  const elsewhere = cacheOf("https://a.example/other/", 1);
  const names = [own, before, first, elsewhere, "somebody else's"];
  expect(cachesOfOthers(names, SCOPE, own)).toEqual([before, first]);
});
