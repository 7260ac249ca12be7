import { expect, test } from "vitest";
import { absentWords } from "./absent";
import { catalog } from "./loaded.test-support";

test.each(["5.10", "5.15", "6.1", "6.12"])(
  "says that compaction of %s is not modelled",
  (kernel) => {
    expect(absentWords(catalog, kernel)).toContain("compaction");
  },
);

test("names the multi-generational LRU as not modelled only in 6.6", () => {
  const with_it = catalog.kernels.filter(({ id }) =>
    absentWords(catalog, id)?.includes("multi-generational LRU"),
  );
  expect(with_it.map(({ id }) => id)).toEqual(["6.6"]);
});

test("returns null for an unknown kernel", () => {
  expect(absentWords(catalog, "0.1")).toBeNull();
});
