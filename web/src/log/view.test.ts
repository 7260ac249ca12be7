import * as v from "valibot";
import { expect, test } from "vitest";
import { catalog } from "../engine/loaded.test-support";
import { NO_EVENT } from "../engine/log";
import { linkSchema } from "../link/schema";
import type { LogWords } from "./rows";
import { filterOf, isNarrowed, viewOf } from "./view";

const words: LogWords = {
  catalog,
  migratetypes: [],
  zones: ["0/DMA", "1/Normal"],
  tasks: new Map(),
  said: {
    catalog,
    info: { migratetypes: [], page_size: 4096 },
    zones: [],
    taskName: () => "",
    devices: [],
  },
};
const EVERYTHING = { events: [], task: null, zone: null, pages: null };

test("a view gives back the filter it was made of", () => {
  const filter = { events: [0, 3], task: 7, zone: 1, pages: [8, 9] } as const;
  const view = viewOf("kswapd", filter, words);
  expect(view.events).toEqual([catalog.events[0]?.name, catalog.events[3]?.name]);
  expect(view.zone).toBe("1/Normal");
  expect(filterOf(view, words)).toEqual(filter);
  expect(filterOf(viewOf("", EVERYTHING, words), words)).toEqual(EVERYTHING);
  const too = { ...EVERYTHING, events: [3], decisions: true };
  expect(viewOf("", too, words).decisions).toBe("too");
  expect(filterOf(viewOf("", too, words), words)).toEqual(too);
  const only = { ...EVERYTHING, events: [NO_EVENT], decisions: true };
  expect(viewOf("", only, words)).toEqual({ search: "", events: [], decisions: "only" });
  expect(filterOf(viewOf("", only, words), words)).toEqual(only);
});

test("what this machine does not know narrows nothing", () => {
  const view = { search: "", events: ["no_such_event"], zone: "9/Moon" };
  expect(filterOf(view, words)).toEqual(EVERYTHING);
});

test("only less than everything is narrowed", () => {
  expect(isNarrowed(viewOf(" ", EVERYTHING, words))).toBe(false);
  expect(isNarrowed(viewOf("a", EVERYTHING, words))).toBe(true);
  expect(isNarrowed(viewOf("", { ...EVERYTHING, task: 0 }, words))).toBe(true);
  expect(isNarrowed(viewOf("", { ...EVERYTHING, decisions: true }, words))).toBe(false);
  const only = { ...EVERYTHING, events: [NO_EVENT], decisions: true };
  expect(isNarrowed(viewOf("", only, words))).toBe(true);
});

test("every choice of events fits a link", () => {
  const all = { ...EVERYTHING, events: [...catalog.events.keys()] };
  const link = { v: 4, view: { log: viewOf("s".repeat(200), all, words) } };
  expect(v.safeParse(linkSchema, link).success).toBe(true);
});
