import { expect, test } from "vitest";
import { parts, presetJson, textCalls } from "../../engine/loaded.test-support";
import { patchesFor, switchPatch } from "./patch-sets";

const { patches } = parts;

test("switching a patch on switches on its prerequisites", () => {
  const { chosen, added, removed } = switchPatch(
    { patches, kernel: "5.15", chosen: [] },
    "noprogress-once",
  );
  expect(added).toContain("noprogress-longer");
  expect(added).toContain("throttle-timeouts");
  expect(chosen).toEqual([...added, "noprogress-once"]);
  expect(removed).toEqual([]);
});

test("switching a patch off switches off the patches that depend on it", () => {
  const on = switchPatch({ patches, kernel: "5.15", chosen: [] }, "noprogress-once").chosen;
  const { chosen, removed } = switchPatch(
    { patches, kernel: "5.15", chosen: on },
    "throttle-timeouts",
  );
  expect(removed).toContain("noprogress-once");
  expect(removed).toContain("noprogress-longer");
  expect(chosen).not.toContain("throttle-timeouts");
});

test("switching a patch on and off again restores the set", () => {
  for (const { id, kernels } of patches) {
    const kernel = kernels[0] ?? null;
    const on = switchPatch({ patches, kernel, chosen: [] }, id);
    const off = on.added
      .toReversed()
      .reduce(
        (chosen, one) =>
          chosen.includes(one) ? switchPatch({ patches, kernel, chosen }, one).chosen : chosen,
        switchPatch({ patches, kernel, chosen: on.chosen }, id).chosen,
      );
    expect(off).toEqual([]);
  }
});

test("the engine accepts every set that one switch makes", () => {
  const { read_experiment } = textCalls();
  const experiment = JSON.parse(presetJson("first-touch.teach"));
  for (const { id, kernels } of patches) {
    const kernel = kernels[0] ?? "";
    const { chosen } = switchPatch({ patches, kernel, chosen: [] }, id);
    const text = JSON.stringify({ ...experiment, id: "", kernel, patches: chosen });
    const { refused } = JSON.parse(read_experiment(text));
    const paths = (refused?.refusals ?? []).map(({ path }: { path: string }) => path);
    expect(paths.filter((path: string) => path.startsWith("patches"))).toEqual([]);
  }
});

test("offers the patches that a kernel can take and those that are on", () => {
  const { fitting, others } = patchesFor({ patches, kernel: "5.15", chosen: ["zlcfirst"] });
  const ids = fitting.map(({ id }) => id);
  expect(ids).toContain("throttle-writeback");
  expect(ids).toContain("zlcfirst");
  expect(others.map(({ id }) => id)).toContain("checklow");
  expect(fitting.length + others.length).toBe(patches.length);
});
