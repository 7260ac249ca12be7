import { expect, test } from "vitest";
import { retitled } from "./retitled";

const presets = { reader: JSON.stringify({ title: "A streaming reader", workload: "reader" }) };
const preset = { title: "A streaming reader", machine: "small", kernel: "6.1", workload: "reader" };

test("the title of a ready-made experiment says that its machine, kernel or workload was changed", () => {
  for (const part of ["machine", "kernel", "workload"]) {
    const changed = retitled(preset, { ...preset, [part]: "other" }, presets);
    expect(changed.title).toBe("A streaming reader (changed)");
    // A second change does not add it again.
    expect(retitled(changed, { ...changed, kernel: "3.0" }, presets).title).toBe(changed.title);
  }
});

test("the title of an imported machine says that it was changed", () => {
  const imported = { ...preset, title: "Your machine: 1 node, 2.0 GiB", machine: { nodes: [{}] } };
  const other = { ...imported, machine: { nodes: [{}, {}] } };
  expect(retitled(imported, other, presets).title).toBe(`${imported.title} (changed)`);
  const again = { ...other, title: `${imported.title} (changed)` };
  expect(retitled(again, { ...again, kernel: "3.0" }, presets).title).toBe(again.title);
});

test("keeps a title set by the user and accepts a new one", () => {
  const own = { ...preset, title: "My question" };
  expect(retitled(own, { ...own, kernel: "3.0" }, presets).title).toBe("My question");
  const renamed = { ...preset, title: "What if", kernel: "3.0" };
  expect(retitled(preset, renamed, presets).title).toBe("What if");
});

test("a changed seed or tunable does not change the title", () => {
  expect(retitled(preset, { ...preset, seed: 2 }, presets).title).toBe(preset.title);
});
