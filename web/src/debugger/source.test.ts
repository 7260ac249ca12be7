import { expect, test } from "vitest";
import { catalog } from "../engine/loaded.test-support";
import { sourceOf } from "./source";

function of(name: string, release: string) {
  const found = catalog.functions.find((each) => each.name === name);
  if (!found) throw new Error(`no function ${name}`);
  return sourceOf(found, release)?.href ?? null;
}

test("links to the line of a function if its location in the release is known", () => {
  expect(of("get_page_from_freelist", "6.1")).toMatch(
    /^https:\/\/elixir\.bootlin\.com\/linux\/v6\.1\.\d+\/source\/mm\/page_alloc\.c#L\d+$/,
  );
  expect(of("balance_pgdat (scans)", "3.16")).toMatch(/\/v3\.16\/source\/mm\/vmscan\.c#L\d+$/);
});

test("searches for a function by name in other releases", () => {
  const ident = (release: string, name: string) =>
    `https://elixir.bootlin.com/linux/v${release}/A/ident/${name}`;
  expect(of("balance_pgdat (zones)", "2.6.37")).toBe(ident("2.6.37", "balance_pgdat"));
  expect(of("alloc_pages_nodemask", "3.0")).toBe(ident("3.0", "__alloc_pages_nodemask"));
  expect(of("alloc_pages_nodemask", "6.1")).toBe(ident("6.1", "__alloc_pages"));
  expect(of("rmqueue", "3.16")).toBe(ident("3.16", "buffered_rmqueue"));
  // 6.12 is not a stable release of 6.1.
  expect(of("rmqueue_bulk", "6.12")).toBe(ident("6.12", "rmqueue_bulk"));
});

test("gives a link in every release except for functions that no kernel has", () => {
  expect(of("user mode", "6.1")).toBeNull();
  expect(of("intervention", "3.0")).toBeNull();
  for (const { name, file } of catalog.functions) {
    for (const [, release] of catalog.releases) {
      const href = of(name, release);
      expect(href === null, name).toBe(file === "");
      if (href) expect(href).toMatch(/\/(source\/[\w/.-]+#L\d+|A\/ident\/\w+)$/);
    }
  }
});
