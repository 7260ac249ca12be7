import { expect, test } from "vitest";
import { catalog, loadEngine, openText, presetJson, viewNow } from "../loaded.test-support";
import { findFirstRefusal } from "./moment";

const engine = loadEngine();

const IDS = [
  "first-touch.teach",
  "first-touch.4g.teach",
  "first-touch.ppc64.teach",
  "streaming-reader.teach",
  "anon-hog.teach",
  "dirty-writer.teach",
  "run-out.teach",
];

/** The length determines the distance between rows of the timeline. */
const CASES = [
  ...IDS.map((id) => [id, null] as const),
  ["streaming-reader.teach", "120s"] as const,
];

test.each(CASES)("%s opens at a step that just refused a zone (length %s)", (id, length) => {
  const experiment: object = JSON.parse(presetJson(id));
  const shortened = length === null ? experiment : { ...experiment, length };
  openText(engine, 0, JSON.stringify(shortened));
  while (!engine.run(0, 1 << 22, undefined, undefined).position.ended);
  findFirstRefusal(engine, 0, catalog);
  const { why, route } = viewNow(engine);
  expect(why?.compare?.passed).toBe(false);
  expect(route).not.toBeNull();
});
