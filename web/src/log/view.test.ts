import * as v from "valibot";
import { expect, test } from "vitest";
import { catalog } from "../engine/loaded.test-support";
import { NO_KIND } from "../engine/record";
import type { Words } from "../engine/sentence";
import { CURRENT_LINK_VERSION } from "../link/link";
import { linkSchema } from "../link/schema";
import { filterOf, isNarrowed, viewOf } from "./view";

const words: Words = {
  catalog,
  migratetypes: [],
  zone_types: [],
  page_size: 4096,
  zones: ["0/DMA", "1/Normal"],
  tasks: new Map(),
  lists: [],
  devices: [],
};
const EVERYTHING = { kinds: [], task: null, zone: null, pages: null };

test("a view restores the filter it was made from", () => {
  const filter = { kinds: [0, 3], task: 7, zone: 1, pages: [8, 9] } as const;
  const view = viewOf("kswapd", filter, words);
  expect(view.events).toEqual([catalog.records[0]?.name, catalog.records[3]?.name]);
  expect(view.zone).toBe("1/Normal");
  expect(filterOf(view, words)).toEqual(filter);
  expect(filterOf(viewOf("", EVERYTHING, words), words)).toEqual(EVERYTHING);
  const too = { ...EVERYTHING, kinds: [3], decisions: true };
  expect(viewOf("", too, words).decisions).toBe("too");
  expect(filterOf(viewOf("", too, words), words)).toEqual(too);
  const only = { ...EVERYTHING, kinds: [NO_KIND], decisions: true };
  expect(viewOf("", only, words)).toEqual({ search: "", events: [], decisions: "only" });
  expect(filterOf(viewOf("", only, words), words)).toEqual(only);
});

test("ignores filters by names that this machine does not have", () => {
  const view = { search: "", events: ["no_such_event"], zone: "9/Moon" };
  expect(filterOf(view, words)).toEqual(EVERYTHING);
});

test("a view is narrowed only if it hides something", () => {
  expect(isNarrowed(viewOf(" ", EVERYTHING, words))).toBe(false);
  expect(isNarrowed(viewOf("a", EVERYTHING, words))).toBe(true);
  expect(isNarrowed(viewOf("", { ...EVERYTHING, task: 0 }, words))).toBe(true);
  expect(isNarrowed(viewOf("", { ...EVERYTHING, decisions: true }, words))).toBe(false);
  const only = { ...EVERYTHING, kinds: [NO_KIND], decisions: true };
  expect(isNarrowed(viewOf("", only, words))).toBe(true);
});

test("a link can hold every choice of events", () => {
  const events = catalog.records.flatMap(({ kind }, i) => (kind === "event" ? [i] : []));
  const all = { ...EVERYTHING, kinds: events };
  const link = { v: CURRENT_LINK_VERSION, view: { log: viewOf("s".repeat(200), all, words) } };
  expect(v.safeParse(linkSchema, link).success).toBe(true);
});
