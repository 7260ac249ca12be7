import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepHeight, storedHeight } from "./height";

const store = new Map<string, string>();
beforeEach(() => {
  store.clear();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => store.set(key, value),
    removeItem: (key: string) => store.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

test("stores a height until it is reset", () => {
  expect(storedHeight()).toBeUndefined();
  keepHeight(301);
  expect(storedHeight()).toBe(301);
  keepHeight(null);
  expect(storedHeight()).toBeUndefined();
  expect(store.size).toBe(0);
});

test.each(["", "tall", "NaN", "-4", "0", "Infinity", "1e9"])("ignores %j as a height", (kept) => {
  keepHeight(7);
  for (const key of store.keys()) store.set(key, kept);
  expect(storedHeight()).toBeUndefined();
});

test("works without a stored height if storage is denied or full", () => {
  const refuse = () => {
    throw new DOMException("no", "QuotaExceededError");
  };
  vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse, removeItem: refuse });
  expect(storedHeight()).toBeUndefined();
  expect(() => keepHeight(200)).not.toThrow();
  expect(() => keepHeight(null)).not.toThrow();
});
