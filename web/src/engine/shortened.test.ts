import { expect, test } from "vitest";
import { shortened, shortSentence } from "./shortened";

test("a text that fits is unchanged", () => {
  expect(shortened("vm.min_free_kbytes")).toBe("vm.min_free_kbytes");
  expect(shortened("a".repeat(60))).toBe("a".repeat(60));
});

test("of a longer one the middle is left out, and it says how much", () => {
  const text = `begin${"-".repeat(100_000)}end`;
  expect(shortened(text, 10)).toBe("begin… (99,998 characters left out) …--end");
  expect(shortened(text).length).toBeLessThan(110);
});

test("a character is not cut in two", () => {
  const cut = shortened("😀".repeat(1000), 11);
  expect(cut).toMatch(/^(😀)+… .* …(😀)+$/u);
});

test("of a sentence each long word is cut, and the sentence where it has very many", () => {
  const digits = "9".repeat(5000);
  const said = shortSentence(`no kernel is called '${digits}'; there are 3.0, 3.1`);
  expect(said).toMatch(
    /^no kernel is called '9+… \(4,\d+ characters left out\) …9+'; there are 3.0, 3.1$/,
  );
  expect(said.length).toBeLessThan(250);
  expect(shortSentence("a ".repeat(100_000)).length).toBeLessThan(2100);
  const list = "a-known-name, ".repeat(100);
  expect(shortSentence(list)).toBe(list);
});
