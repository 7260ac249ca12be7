import { describe, expect, test } from "vitest";
import { parts, presetJson } from "../engine/loaded.test-support";
import { helpAt } from "./field-help";

/** A text with its caret, which is written as `|`. */
function at(text: string) {
  const offset = text.indexOf("|");
  return helpAt(text.replace("|", ""), offset);
}

describe("the help for the field at the caret", () => {
  test("gives its path, kind and limits when the caret is in its name or its value", () => {
    const seed = { path: "seed", kind: "whole number; 0 to 9,007,199,254,740,991" };
    expect(at('{ "se|ed": 1 }')).toMatchObject(seed);
    expect(at('{ "seed": |1 }')).toMatchObject(seed);
    expect(at('{ "seed": 1 }|')).toBeNull();
    expect(at('{ "moon": |1 }')).toBeNull();
  });

  test("lists the words that the field may have", () => {
    expect(at('{ "machine": { "thp": "|" } }')?.kind).toBe("one of always, madvise, never");
    expect(at('{ "kernel": "|" }')?.kind).toMatch(/^one of .*3\.0, .*6\.12/);
    expect(at('{ "tunables": { "vm.swappiness": "|" } }')).toMatchObject({
      path: "tunables.vm.swappiness",
      kind: "text or whole number; 0 to 200; default: 60",
    });
  });

  test("belongs to the operation around the field", () => {
    const step = (text: string) =>
      at(`{ "workload": { "processes": [{ "program": [${text}] }] } }`);
    expect(step('{ "op": "touch", "region": "heap", "order": "|" }')?.kind).toMatch(/sequential/);
    expect(step('{ "op": "alloc", "pool": "a", "order": |3 }')?.kind).toMatch(/whole number/);
    expect(step('{ "op": "fr|ee", "region": "heap" }')).toMatchObject({
      kind: expect.stringMatching(/map, touch, .*exit/),
      about: expect.stringMatching(/munmap/),
    });
    expect(step('{ "op": "fsync", "region": "|heap" }')).toBeNull();
  });

  test("is found while the text is not valid JSON yet", () => {
    expect(at('{ "length": "10s", "machine": { "hz": | ')?.path).toBe("machine.hz");
  });

  test("is found for every field of the ready-made experiments", () => {
    const preset = JSON.parse(presetJson("first-touch.teach"));
    const { machines, workloads } = parts;
    const asked = new Set<string>();
    for (const [i, workload] of workloads.entries()) {
      const machine = machines[i % machines.length];
      const text = JSON.stringify({ ...preset, machine, workload }, null, 1);
      for (const { 0: line, index } of text.matchAll(/"[^"\n]*":.*/g)) {
        if (asked.has(line)) continue;
        asked.add(line);
        expect(helpAt(text, index + 1)?.about.length, line).toBeGreaterThan(0);
      }
    }
  });
});
