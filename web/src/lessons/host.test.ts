import { expect, test } from "vitest";
import { progressIn, suspendedOf } from "./host";
import type { Progress } from "./progress";

const PROGRESS: Progress = {
  given: { "who/10/1": "player", "who/500/1": "kswapd", "luck/100/1": "no" },
  settings: { who: { value: "500", seed: 1 } },
  built: { fix: { set: { factor: "10" }, isTried: true } },
  shown: ["price"],
  visited: ["full", "marks"],
  current: "who",
};

/** Texts that no packing makes shorter. */
const noise = (n: number) =>
  Array.from({ length: n }, (_, i) => ((i * 2_654_435_761) % 4_294_967_296).toString(36));

test("progress is the same after a platform has kept it", () => {
  const text = progressIn(suspendedOf(PROGRESS));
  expect(JSON.parse(text ?? "")).toEqual(PROGRESS);
});

test("what a platform keeps is never longer than SCORM 1.2 allows, and has the first answers", () => {
  const given = {
    ...PROGRESS.given,
    ...Object.fromEntries(noise(2000).map((word, i) => [`who/${word}/${i + 2}`, word])),
  };
  const text = suspendedOf({ ...PROGRESS, given, visited: noise(500) });
  expect(text.length).toBeLessThanOrEqual(4096);
  const kept: Progress = JSON.parse(progressIn(text) ?? "");
  expect(kept.given).toEqual({ "who/10/1": "player", "luck/100/1": "no" });
  expect(kept.shown).toEqual(["price"]);
});

test("a text that a platform has changed, or that is another lesson tool's, is no progress", () => {
  expect(progressIn("")).toBeNull();
  expect(progressIn("bookmark=3")).toBeNull();
  expect(progressIn(suspendedOf(PROGRESS).slice(0, -8))).toBeNull();
});
