import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadEngine, openText, presetJson, readNow } from "../engine/loaded.test-support";
import { scanJson } from "../link/json-positions";
import { disturbed } from "./disturb";
import { changedTunables, readDraft, refusalsOf, withField, withTunable } from "./experiment-draft";

const draft = readDraft(presetJson("first-touch.teach"));
if (!draft) throw new Error("a ready-made experiment is a draft");

const tunables = fc.json({ maxDepth: 2 }).map((json) => `{"tunables": ${json}}`);

describe("a draft", () => {
  test.each(["", "[]", "null", '{"tunables": []}', '{"tunables": {"a": true}}'])(
    "refuses %j as a draft",
    (other) => {
      expect(readDraft(other)).toBeNull();
    },
  );

  test.each([
    ["[]", "", "a list"],
    ['"vm.min_free_kbytes"', "", "a text"],
    ["null", "", "null"],
    ['{"tunables": []}', "tunables", "a list"],
    ['{"tunables": {"vm.min_free_kbytes": [256]}}', "tunables.vm.min_free_kbytes", "a list"],
    ['{"tunables": {"vm.min_free_kbytes": true}}', "tunables.vm.min_free_kbytes", "true"],
  ])("refuses %s at %j", (text, path, reason) => {
    expect(refusalsOf(text)).toEqual([{ path, reason: expect.stringContaining(reason) }]);
  });

  test("refuses a text with the wrong shape in words and leaves invalid JSON to the reader", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json({ maxDepth: 3 }), fc.string(), tunables), (text) => {
        const isExplained = refusalsOf(text).length > 0 || !scanJson(text).ok;
        expect(isExplained || readDraft(text) !== null).toBe(true);
      }),
    );
  });

  test("keeps fields that the form does not know", () => {
    const odd = readDraft('{"kernel": "3.0", "moon": [1]}');
    expect(odd && withField(withTunable(odd, "vm.swappiness", "10"), "kernel", "6.1")).toEqual({
      id: "",
      kernel: "6.1",
      moon: [1],
      tunables: { "vm.swappiness": "10" },
    });
  });

  test.each([
    ["256", "256"],
    ["10.0", "10"],
    ["1e3", "1000"],
    ["-1", "-1"],
    ["1.5", "1.5"],
    ["9007199254740993", "9007199254740993"],
    ["18446744073709551616", "18446744073709551616"],
    ['"auto"', "auto"],
  ])("passes the tunable of %s to the engine as typed: %s", (written, word) => {
    const text = `{"tunables": {"vm.min_free_kbytes": ${written}}, "machine": {"tunables": {"vm.swappiness": ${written}}}}`;
    expect(refusalsOf(text)).toEqual([]);
    expect(readDraft(text)).toEqual({
      tunables: { "vm.min_free_kbytes": word },
      machine: { tunables: { "vm.swappiness": word } },
    });
  });

  test("leaves a tunable to the kernel if its field is empty", () => {
    const set = withTunable(draft, "vm.swappiness", "10");
    expect(withTunable(set, "vm.swappiness", "").tunables).toEqual(draft.tunables);
  });
});

describe("a number", () => {
  const base = JSON.parse(presetJson("first-touch.teach"));
  const written = (fields: object, number: string) =>
    JSON.stringify({ ...base, ...fields }).replace('"HERE"', number);
  const seed = (number: string) => written({ seed: "HERE" }, number);
  const swappiness = (number: string) => written({ tunables: { "vm.swappiness": "HERE" } }, number);
  const seeds = ["0", "7.0", "1e3", "12E+1", "9007199254740991", "9007199254740993", "1e300", "-1"];
  const words = ["10", "10.0", "1e1", "1.5", "201", '"60"'];

  /** The engine's answer to a text; a refused number may have lost its last digits. */
  const judged = (text: string) => {
    const read = readNow(text);
    return "refusals" in read
      ? read.refusals.map(({ path, reason }) => ({ path, reason: reason.replace(/\d{16}/, "N") }))
      : read;
  };

  // The editor sends the text as typed; the form and the command line send the draft.
  test.each([...seeds.map(seed), ...words.map(swappiness)])(
    "gets the same answer in the JSON and in the form: %#",
    (text) => {
      expect(judged(JSON.stringify(readDraft(text)))).toEqual(judged(text));
    },
  );

  test("is refused with the path of its field, in JSON and in the form, if JavaScript cannot represent it", () => {
    const text = swappiness("9007199254740993");
    for (const typed of [text, JSON.stringify(readDraft(text))]) {
      expect(judged(typed)).toMatchObject([{ path: "tunables.vm.swappiness" }]);
    }
  });

  test("is accepted if it is whole, and refused if it would be rounded", () => {
    expect(readNow(seed("1e3"))).not.toHaveProperty("refusals");
    expect(readNow(swappiness("10"))).not.toHaveProperty("refusals");
    const reason = "9007199254740993 is not a whole number from 0 to 9007199254740991";
    expect(readNow(seed("9007199254740993"))).toMatchObject({
      refusals: [{ path: "seed", reason }],
    });
  });
});

describe("a fork", () => {
  test("is possible if only tunables were changed", () => {
    const after = withTunable(draft, "vm.swappiness", "10");
    expect(changedTunables(draft, after)).toEqual(new Map([["vm.swappiness", "10"]]));
    expect(changedTunables(draft, withField(after, "seed", 2))).toBeNull();
    expect(changedTunables(after, draft)).toBeNull();
  });

  test("gives a valid experiment in which the tunable changes only at that time", () => {
    const engine = loadEngine();
    const at = 1_000_000;
    const set = { "vm.min_free_kbytes": "512" };
    const opened = openText(engine, 0, disturbed(JSON.stringify(draft), { set }, at));
    expect(opened.kind).toBe("checked");
    const low = () => engine.view(0, undefined).zones.map((zone) => zone.low);
    const booted = low();
    for (let progress = engine.run(0, 1e9, undefined, at - 1); !progress.done; )
      progress = engine.run(0, 1e9, undefined, at - 1);
    expect(low()).toEqual(booted);
    for (let progress = engine.run(0, 1e9, undefined, 2 * at); !progress.done; )
      progress = engine.run(0, 1e9, undefined, 2 * at);
    for (const [i, mark] of low().entries()) expect(mark).toBeGreaterThan(booted[i] ?? 0);
  });
});
