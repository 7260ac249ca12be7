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
  // Real turns of the event loop deliver the messages; the fake timer skips the wait for an answer.
  await new Promise((turn) => setImmediate(turn));
  await new Promise((turn) => setImmediate(turn));
  await vi.advanceTimersByTimeAsync(10_000);
  return all;
}

test("deletes files of earlier versions once every tab shows this version", async () => {
  expect(await areAllNew()).toBe(true);
  expect(await areAllNew(tab(`${SCOPE}assets/index-2.js`))).toBe(true);
});

test("keeps files of earlier versions while a tab shows one or does not answer", async () => {
  const own = tab(`${SCOPE}assets/index-2.js`);
  expect(await areAllNew(own, tab(`${SCOPE}assets/index-1.js`))).toBe(false);
  expect(await areAllNew(own, tab(""))).toBe(false);
  expect(await areAllNew(own, tab(null))).toBe(false);
});

test("ignores tabs of other pages on the same host", async () => {
  expect(await areAllNew(tab(null, "https://a.example/other/"))).toBe(true);
});

test("gives each version its own cache, named by its files", () => {
  const [one, two] = [[{ url: "a", revision: "1" }], [{ url: "a", revision: "2" }]];
  expect(cacheOf(SCOPE, one)).toBe(cacheOf(SCOPE, structuredClone(one)));
  expect(cacheOf(SCOPE, one)).not.toBe(cacheOf(SCOPE, two));
});

test("finds the caches of other versions of this page under current and former names", () => {
  const own = cacheOf(SCOPE, 1);
  const before = cacheOf(SCOPE, 2);
  const first = `workbox-precache-v2-${SCOPE}`;
  const elsewhere = cacheOf("https://a.example/other/", 1);
  const names = [own, before, first, elsewhere, "somebody else's"];
  expect(cachesOfOthers(names, SCOPE, own)).toEqual([before, first]);
});
