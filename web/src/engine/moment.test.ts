import { expect, test } from "vitest";
import { loadEngine, presetJson } from "./loaded.test-support";
import { findFirstRefusal } from "./moment";

const engine = loadEngine();

test.each([
  "first-touch.teach",
  "first-touch.4g.teach",
  "first-touch.ppc64.teach",
  "streaming-reader.teach",
  "anon-hog.teach",
  "dirty-writer.teach",
  "run-out.teach",
])("%s opens where a zone has just been refused", (id) => {
  engine.open(0, presetJson(id));
  while (!engine.run(0, 1 << 22, undefined, undefined).position.ended);
  findFirstRefusal(engine, 0);
  const { why, route } = engine.view(0, undefined);
  expect(why?.compare?.passed).toBe(false);
  expect(route).not.toBeNull();
});
