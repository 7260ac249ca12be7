import { delimiter } from "node:path";
import { expect, test } from "vitest";
import { findBrowser } from "./browser.mjs";

/**
 * @param {Record<string, string>} env
 * @param {string[]} there
 */
const find = (env, there) => findBrowser({ env, exists: (path) => there.includes(path) });
const PATH = ["/usr/local/bin", "/usr/bin"].join(delimiter);

test("prefers a configured browser, then headless Chromium, then Chromium on the path, then Chrome", () => {
  const there = ["/opt/mine", "/usr/bin/chromium", "/usr/local/bin/google-chrome"];
  expect(find({ CHROMIUM_PATH: "/opt/mine", PATH }, there)).toBe("/opt/mine");
  expect(find({ PATH }, there)).toBe("/usr/bin/chromium");
  const shell = "/usr/bin/chromium-headless-shell";
  expect(find({ PATH }, [...there, shell])).toBe(shell);
  expect(find({ PATH }, ["/usr/local/bin/google-chrome"])).toBe("/usr/local/bin/google-chrome");
});

test("skips a configured browser that does not exist", () => {
  expect(find({ CHROMIUM_PATH: "/opt/gone", PATH }, ["/usr/bin/chromium"])).toBe(
    "/usr/bin/chromium",
  );
});

test("finds browsers in the application folders of macOS", () => {
  const chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  expect(find({ PATH }, [chrome])).toBe(chrome);
});

test("finds no browser if none is installed", () => {
  expect(find({ PATH }, [])).toBeUndefined();
  expect(find({}, [])).toBeUndefined();
});
