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

/** Texts that compression cannot shorten. */
const noise = (n: number) =>
  Array.from({ length: n }, (_, i) => ((i * 2_654_435_761) % 4_294_967_296).toString(36));

test("reads progress back unchanged after a platform has stored it", () => {
  const text = progressIn(suspendedOf(PROGRESS));
  expect(JSON.parse(text ?? "")).toEqual(PROGRESS);
});

test("never exceeds the maximum length of SCORM 1.2 and keeps the first answers", () => {
  const given = {
    ...PROGRESS.given,
    ...Object.fromEntries(noise(2000).map((word, i) => [`who/${word}/${i + 2}`, word])),
  };
  const text = suspendedOf({ ...PROGRESS, given, visited: noise(500) });
  expect(text.length).toBeLessThanOrEqual(4096);
  const progress: Progress = JSON.parse(progressIn(text) ?? "");
  expect(progress.given).toEqual({ "who/10/1": "player", "luck/100/1": "no" });
  expect(progress.shown).toEqual(["price"]);
});

test("reads no progress from a text that was changed or written by another tool", () => {
  expect(progressIn("")).toBeNull();
  expect(progressIn("bookmark=3")).toBeNull();
  expect(progressIn(suspendedOf(PROGRESS).slice(0, -8))).toBeNull();
});
