import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Times } from "./times.mjs";

test("writes the seconds of each stage and of its steps", async () => {
  let now = 0;
  const times = new Times(() => now);
  const after = (/** @type {number} */ ms) => async () => {
    now += ms;
  };
  await times.stage("lint", async (timed) => {
    await timed("biome", after(1200));
    await timed("clippy", after(34_000));
  });
  const failed = times.stage("rust", async (timed) => {
    await timed("compile", async () => {
      now += 5000;
      throw new Error("it does not compile");
    });
  });
  await expect(failed).rejects.toThrow("it does not compile");
  expect(times.of("lint")).toBe(35_200);
  expect(times.stepsOf("lint")).toEqual(["    biome: 1.2 s", "    clippy: 34.0 s"]);

  const folder = mkdtempSync(join(tmpdir(), "mmscope-"));
  times.write(join(folder, "new", "times.json"));
  expect(JSON.parse(readFileSync(join(folder, "new", "times.json"), "utf8"))).toEqual({
    stages: [
      {
        name: "lint",
        seconds: 35.2,
        steps: [
          { name: "biome", seconds: 1.2 },
          { name: "clippy", seconds: 34 },
        ],
      },
      { name: "rust", seconds: 5, steps: [{ name: "compile", seconds: 5 }] },
    ],
  });
  rmSync(folder, { recursive: true });
});
