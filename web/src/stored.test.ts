import { afterEach, expect, test, vi } from "vitest";
import { inBrowser, inTab } from "./stored";

afterEach(() => vi.unstubAllGlobals());

function stub(name: string, refusal?: DOMException) {
  const storage = new Map<string, string>();
  const or = <T>(value: () => T): T => {
    if (refusal) throw refusal;
    return value();
  };
  vi.stubGlobal(name, {
    getItem: (key: string) => or(() => storage.get(key) ?? null),
    setItem: (key: string, text: string) => or(() => storage.set(key, text)),
    removeItem: (key: string) => or(() => storage.delete(key)),
  });
  return storage;
}

test("each storage keeps a value until it is removed", () => {
  const [browser, tab] = [stub("localStorage"), stub("sessionStorage")];
  expect(inBrowser.write("a", "1")).toBe("kept");
  expect(inTab.write("a", "2")).toBe("kept");
  expect([inBrowser.read("a"), inTab.read("a"), inTab.read("b")]).toEqual(["1", "2", null]);
  inBrowser.write("a", null);
  expect([browser.size, tab.size]).toEqual([0, 1]);
});

test("full, denied or missing storage reports its state and never throws", () => {
  stub("localStorage", new DOMException("no", "QuotaExceededError"));
  expect([inBrowser.read("a"), inBrowser.write("a", "1")]).toEqual([null, "full"]);
  stub("localStorage", new DOMException("no", "SecurityError"));
  expect([inBrowser.read("a"), inBrowser.write("a", null)]).toEqual([null, "denied"]);
  vi.stubGlobal("sessionStorage", undefined);
  expect([inTab.read("a"), inTab.write("a", "1")]).toEqual([null, "denied"]);
});
