import { beforeEach, expect, test, vi } from "vitest";
import { pack } from "./codec";
import { keepDraft, keepInTab, putAside, readAside, readTab, workOf } from "./draft";

const stored = new Map<string, string>();
let fault: DOMException | null = null;
const storage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => {
    if (fault) throw fault;
    stored.set(key, value);
  },
};

beforeEach(() => {
  stored.clear();
  fault = null;
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("sessionStorage", storage);
});

const link = (more: object) => pack(JSON.stringify({ v: 3, preset: "small", ...more }));
const at = (step: number) => ({ cursor: { step } });

test("workOf identifies a user's work independently of the current step", () => {
  expect(workOf(link(at(1)))).toBe("");
  expect(workOf("not a link")).toBe("");
  expect(workOf(link({ ...at(1), title: "A" }))).toBe(workOf(link({ ...at(2), title: "A" })));
  const works = [{ title: "A" }, { note: "A" }, { bookmarks: [1] }, { changes: [1] }].map((more) =>
    workOf(link(more)),
  );
  expect(new Set([...works, ""]).size).toBe(5);
});

test("replaces a set-aside draft of the same work and keeps at most ten", () => {
  putAside(link({ ...at(1), title: "A" }), 1);
  putAside(link({ ...at(2), title: "A" }), 2);
  expect(readAside()).toEqual([{ packed: link({ ...at(2), title: "A" }), at_ms: 2 }]);
  for (let i = 0; i < 12; i += 1) putAside(link(at(i)), i);
  expect(readAside().map(({ at_ms }) => at_ms)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test("reports that storage is full or denied and keeps the old draft", () => {
  expect(keepDraft("a")).toBe("kept");
  fault = new DOMException("", "QuotaExceededError");
  expect(keepDraft("b")).toBe("full");
  expect(putAside(link({}), 1)).toBe("full");
  fault = new DOMException("", "SecurityError");
  expect(keepDraft("b")).toBe("denied");
  expect(stored.get("mmscope.draft")).toBe("a");
});

test("returns the note of a tab only for the address it was stored with", () => {
  keepInTab("abc", "packed");
  expect(readTab("abc")).toBe("packed");
  expect(readTab("other")).toBeNull();
  expect(readTab(null)).toBeNull();
  keepInTab(null, "packed");
  expect(readTab(null)).toBe("packed");
});
