import { expect, test } from "vitest";
import { shortened, shortSentence } from "./shortened";

test("returns a text that fits unchanged", () => {
  expect(shortened("vm.min_free_kbytes")).toBe("vm.min_free_kbytes");
  expect(shortened("a".repeat(60))).toBe("a".repeat(60));
});

test("replaces the middle of a longer text by the number of omitted characters", () => {
  const text = `begin${"-".repeat(100_000)}end`;
  expect(shortened(text, 10)).toBe("begin… (99,998 characters left out) …--end");
  expect(shortened(text).length).toBeLessThan(110);
});

test("does not split a character", () => {
  const cut = shortened("😀".repeat(1000), 11);
  expect(cut).toMatch(/^(😀)+… .* …(😀)+$/u);
});

test("shortens each long word of a sentence and a sentence with very many words", () => {
  const digits = "9".repeat(5000);
  const sentence = shortSentence(`no kernel is called '${digits}'; there are 3.0, 3.1`);
  expect(sentence).toMatch(
    /^no kernel is called '9+… \(4,\d+ characters left out\) …9+'; there are 3.0, 3.1$/,
  );
  expect(sentence.length).toBeLessThan(250);
  expect(shortSentence("a ".repeat(100_000)).length).toBeLessThan(2100);
  const list = "a-known-name, ".repeat(100);
  expect(shortSentence(list)).toBe(list);
});
