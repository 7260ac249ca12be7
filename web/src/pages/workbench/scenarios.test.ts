import { expect, test } from "vitest";
import { catalog } from "../../engine/loaded.test-support";
import { GROUPS, scenarioGroups } from "./scenarios";

test("every ready-made experiment is listed under exactly one heading", () => {
  const listed = GROUPS.flatMap(({ ids }) => ids);
  expect([...listed].sort()).toEqual(catalog.experiments.map(({ id }) => id).sort());
  expect(new Set(listed).size).toBe(listed.length);
});

test("experiments with different settings share no text that is true of only one of them", () => {
  const all = scenarioGroups(catalog.experiments).flatMap(({ choices }) => choices);
  const about = (id: string) => all.find((choice) => choice.id === id)?.about ?? "";
  expect(about("watermarks.teach")).toContain("vm.min_free_kbytes");
  expect(about("first-touch.ppc64.teach")).toContain("64 KiB");
  expect(about("first-touch.4g")).toContain("no Normal zone");
  // Requests once failed at the start of reclaim, before reclaim was modelled.
  expect(about("run-out")).toContain("reclaim pages themselves");
});

test("an unlisted experiment still appears", () => {
  const odd = { id: "odd", title: "Odd", about: "" };
  const last = scenarioGroups([...catalog.experiments, odd]).at(-1);
  expect(last).toEqual({ title: "Others", choices: [odd] });
});
