import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type Build,
  compiled,
  openText,
  presetJson,
  readNow,
  startBuild,
} from "./loaded.test-support";

/** Lines of "experiment step hash", written by the native engine (engine/mm/tests/hashes.rs). */
const lines = readFileSync("engine/mm/tests/data/hashes.txt", "utf8").trim().split("\n");

const modules = { first: compiled("first"), whole: compiled("whole") };

function isSmall(json: string): boolean {
  const reading = readNow(json);
  return reading.kind === "checked" && !reading.whole;
}
const small = lines.filter((line) => isSmall(presetJson(line.split(" ")[0] ?? "")));

/** Runs an experiment in a build: where it stands then, all that is shown of it, and its hash. */
function run(build: Build, json: string, steps: number) {
  const engine = startBuild(modules[build]);
  expect(openText(engine, 0, json).kind).toBe("checked");
  engine.run(0, steps, steps, undefined);
  const { position, ...rest } = engine.view(0, undefined);
  const hash = engine.hash(0);
  engine.free();
  return { position, rest, hash };
}

describe.each([
  ["whole", lines],
  ["first", small],
] as const)("the %s engine", (build, those) => {
  test.each(those)("in WebAssembly as natively: %s", (line) => {
    const [id = "", step = "", hash = ""] = line.split(" ");
    const found = run(build, presetJson(id), Number(step));
    expect(found.position.step).toBe(Number(step));
    expect(found.hash).toBe(hash);
  });
});

test("what the pages show first runs in the first engine", () => {
  const ids = new Set(small.map((line) => line.split(" ")[0]));
  expect([...ids]).toEqual(
    expect.arrayContaining(["first-touch.teach", "streaming-reader.teach", "anon-hog.teach"]),
  );
});

/** Experiments nobody packed, which do without the whole engine. */
function* others(): Generator<readonly [string, string]> {
  const ids = ["first-touch.teach", "streaming-reader.teach", "anon-hog.teach", "run-out.teach"];
  for (const id of ids) {
    for (const kernel of ["3.0", "6.1"]) {
      for (const kbytes of ["64", "400", "1500"]) {
        const preset = JSON.parse(presetJson(id));
        const tunables = { ...preset.tunables, "vm.min_free_kbytes": kbytes };
        const seed = Number(kbytes);
        const raw = { ...preset, id: "", kernel, seed, tunables };
        // What the kernel does not know is no tunable of it.
        if (kernel === "3.0") delete raw.tunables["vm.watermark_scale_factor"];
        yield [`${id} with ${kernel} and ${kbytes} KiB`, JSON.stringify(raw)];
      }
    }
  }
}

test.each([...others()])("both engines run %s alike", (_, json) => {
  expect(isSmall(json)).toBe(true);
  expect(run("first", json, 400_000)).toEqual(run("whole", json, 400_000));
});

test("the first engine refuses what needs the whole one, and keeps what is open", () => {
  const engine = startBuild(modules.first);
  openText(engine, 0, presetJson("first-touch.teach"));
  engine.run(0, 100, 100, undefined);
  const reading = readNow(presetJson("dirty-writer.teach"));
  if (reading.kind !== "checked") throw new Error("it is valid");
  expect(reading.whole).toBe(true);
  expect(() => engine.open(0, reading.plan)).toThrow(/no experiment of this engine/);
  expect(engine.view(0, undefined).position.step).toBe(100);
  engine.free();
});
