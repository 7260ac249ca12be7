import { expect, test } from "vitest";
import { shortened } from "./shortened";

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
