import { expect, test } from "vitest";
import { absentWords } from "./absent";
import { catalog } from "./loaded.test-support";

test.each(["5.10", "5.15", "6.1", "6.12"])(
  "says that compaction of %s is not modelled",
  (kernel) => {
    expect(absentWords(catalog, kernel)).toContain("compaction");
  },
);

test("of 6.12 alone the multi-generational LRU is left out", () => {
  const with_it = catalog.kernels.filter(({ id }) =>
    absentWords(catalog, id)?.includes("multi-generational LRU"),
  );
  expect(with_it.map(({ id }) => id)).toEqual(["6.12"]);
});

test("a kernel that is not known has nothing to say", () => {
  expect(absentWords(catalog, "0.1")).toBeNull();
});
