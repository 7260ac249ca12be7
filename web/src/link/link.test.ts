import fc from "fast-check";
import { deflateSync, strToU8 } from "fflate";
import { describe, expect, test } from "vitest";
import { LINK_LIMITS, pack, unpack } from "./codec";
import { applyChanges, difference, type Json } from "./difference";
import { bareLink, CURRENT_LINK_VERSION, type Link, openLink, writeLink } from "./link";
import { readFragment, writeFragment } from "./router";

const presets = {
  small: JSON.stringify({
    id: "small",
    kernel: "3.0",
    seed: 1,
    tunables: { a: "1" },
    length: "1s",
  }),
  large: JSON.stringify({ id: "large", kernel: "6.1", seed: 2, tunables: {}, length: "60s" }),
};

const link = (experiment: Json, more: Partial<Link> = {}): Link => ({
  ...bareLink(JSON.stringify(experiment)),
  ...more,
});

const packed = (document: unknown) => pack(JSON.stringify(document));

describe("writing and opening", () => {
  test("opening a link restores its content", () => {
    const cursor = { step: 12, time_ns: 3400, hash: "0123456789abcdef", engine: "0.1.0" };
    const written = link(
      { ...JSON.parse(presets.small), kernel: "6.1" },
      {
        cursor,
        result: {
          ...cursor,
          build: "mmscope_bg-Dx3.wasm",
          ended: true,
          figures: [
            ["pgfault", 123],
            ["delay", 0.5],
          ],
        },
        followed: 3,
        selected: ["zone 0/DMA32"],
        lists: { 0: "0/DMA" },
        breakpoints: [
          { watch: { kind: "line", name: "rmqueue", line: 2 }, off: true },
          {
            watch: { kind: "event", name: "split" },
            condition: { field: "order", is: "≥", with: "8" },
          },
          { watch: { kind: "mark", zone: "0/DMA32", mark: "low" } },
          { watch: { kind: "page", pfn: 0x52fcb, part: "any" } },
        ],
        bookmarks: [{ step: 3, time_ns: 900, note: "here kswapd wakes" }],
        title: "The first wake",
        note: "Look at the low mark.",
        view: {
          face: "free",
          blocks: true,
          tab: "values",
          folded: true,
          log: { search: "split", events: ["split"], task: 3, zone: "0/DMA", pages: [1, 2] },
          tracks: ["pgfault", "pgscan_kswapd"],
          range: [100, 900],
          window: [0, 1000],
          zoom: { 0: { level: "block", pfn: 0x52e00 } },
        },
      },
    );
    const opened = openLink(writeLink(written, presets), presets);
    expect(opened).toEqual({ ok: true, link: written });
  });

  test("packs and restores any experiment and names the nearest preset", () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 8 });
    fc.assert(
      fc.property(json, (experiment) => {
        const clean = JSON.parse(JSON.stringify(experiment)) as Json;
        const opened = openLink(writeLink(link(clean), presets), presets);
        expect(opened.ok && JSON.parse(opened.link.experiment)).toEqual(clean);
      }),
    );
  });

  test("keeps the link to a preset with one change short", () => {
    const changed = link({ ...JSON.parse(presets.large), seed: 99 });
    expect(writeLink(changed, presets).length).toBeLessThan(100);
  });
});

const RESULT = {
  step: 9,
  time_ns: 80,
  hash: "0123456789abcdef",
  engine: "0.1.0",
  ended: true,
};

describe("links from other sources", () => {
  test("never throw, whatever they contain", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string().map(pack)), (text) => {
        expect(openLink(text, presets).ok).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        openLink(packed(value), presets);
      }),
    );
  });

  test.each([
    ["too-large", "A".repeat(LINK_LIMITS.characters + 1)],
    ["too-large", pack(" ".repeat(LINK_LIMITS.bytes + 1))],
    ["not-ours", "???"],
    ["not-ours", pack("not JSON")],
    ["not-ours", pack("[".repeat(50_000))],
    ["not-ours", packed({ preset: "small" })],
    ["from-a-newer-version", packed({ v: CURRENT_LINK_VERSION + 1 })],
    ["invalid", packed({ v: 1, preset: "gone" })],
    ["invalid", packed({ v: 1, preset: "__proto__" })],
    ["invalid", packed({ v: 1, preset: "small", cursor: { step: -1 } })],
    ["invalid", packed({ v: 1, preset: "small", changes: [[["no", "such", "path"], 1]] })],
    ["invalid", packed({ v: 1 })],
    ["invalid", packed({ v: 2, preset: "small", breakpoints: [{ watch: { kind: "moon" } }] })],
    ["invalid", packed({ v: 1, preset: "small", breakpoints: "all" })],
  ])("reports %s: %.40s", (why, encoded) => {
    const opened = openLink(encoded, presets);
    expect(opened.ok ? "opened" : opened.why).toBe(why);
  });

  test("are refused with the name of the wrong field", () => {
    const cursor = { step: 1, time_ns: 1, hash: "xyz", engine: "0.1.0" };
    const opened = openLink(packed({ v: 1, preset: "small", cursor }), presets);
    expect(opened.ok ? "" : opened.detail).toMatch(/^cursor\.hash: /);
  });

  test.each([
    [{ ...RESULT, hash: "5" }, "result.hash"],
    [{ ...RESULT, step: -1 }, "result.step"],
    [{ ...RESULT, ended: "yes" }, "result.ended"],
    [{ ...RESULT, figures: [["pgfault", "many"]] }, "result.figures[0][1]"],
    [{ ...RESULT, proof: true }, "result.proof"],
  ])("are refused with the wrong field of a result: %j", (result, path) => {
    const opened = openLink(packed({ v: 5, preset: "small", result }), presets);
    expect(opened).toMatchObject({ ok: false, why: "invalid", path });
  });

  test("cannot change the prototype of an object", () => {
    const changes = [[["__proto__", "polluted"], true]];
    openLink(packed({ v: 1, preset: "small", changes }), presets);
    const own = openLink(
      packed({ v: 1, preset: "small", changes: [[["__proto__"], { a: 1 }]] }),
      presets,
    );
    expect(own.ok).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("are refused when inflating them reaches the limit", () => {
    const bomb = Buffer.from(deflateSync(strToU8("0".repeat(5_000_000)))).toString("base64url");
    expect(unpack(bomb)).toMatchObject({ ok: false, why: "too-large" });
  });
});

test("applying a difference turns one value into the other", () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 });
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [from, to] = [a, b].map((v) => JSON.parse(JSON.stringify(v)) as Json);
      if (from === undefined || to === undefined) return;
      expect(applyChanges(from, difference(from, to))).toEqual(to);
    }),
  );
});

test.each([
  { page: "home" },
  { page: "workbench", x: "abc-_9", preset: null, dialog: null },
  { page: "workbench", x: null, preset: "first-touch.4g.teach", dialog: null },
  { page: "workbench", x: null, preset: null, dialog: "import" },
  { page: "lesson", id: "watermarks-and-kswapd" },
  { page: "folder" },
  { page: "report", table: null },
  { page: "trace" },
  { page: "compare", a: "4abc", b: "4abd", by: "event.mm_page_alloc" },
  { page: "compare", a: "4abc", b: "4abd", by: "time", from: "120.135", to: "4000.4100" },
  { page: "sweep", x: null, preset: null, id: null },
  { page: "sweep", x: "4abc", preset: null, id: null },
  { page: "sweep", x: null, preset: "anon-hog.teach", id: null },
  { page: "sweep", x: null, preset: null, id: "mh3k-a1b2c3" },
  { page: "truth" },
  { page: "history" },
  { page: "report", table: "large-dd" },
  { page: "doc", doc: "manual", section: null },
  { page: "doc", doc: "glossary", section: "mmscopes-words" },
  { page: "unknown", asked: "#/nonsense" },
] as const)("the router reads the address that it writes: %j", (place) => {
  expect(readFragment(writeFragment(place))).toEqual(place);
});

test.each(["", "#", "#/", "#/?x=1"])("the router reads %j as home", (fragment) => {
  expect(readFragment(fragment)).toEqual({ page: "home" });
});

test.each([
  "#/elsewhere?x=1",
  "#/lesson/",
  "#/lesson/a/b",
  "#/workbenches",
  "#/report/a/b",
  "#/nonsense",
  "#nonsense",
  "#/manual/a/b",
])("the router reads %j as an unknown page and keeps the fragment", (asked) => {
  expect(readFragment(asked)).toEqual({ page: "unknown", asked });
});

test.each([
  ["#/workbench/", "workbench"],
  ["#/lesson/a-lesson/", "lesson"],
  ["#/lesson-folder/", "folder"],
  ["#/report/", "report"],
  ["#/trace/", "trace"],
  ["#/truth/", "truth"],
  ["#/runs/", "history"],
  ["#/manual/", "doc"],
])("the router ignores the slash at the end of %j", (fragment, page) => {
  expect(readFragment(fragment).page).toBe(page);
});
