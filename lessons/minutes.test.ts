// The length that a lesson states must match a walk through it.

import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { minutesOf } from "./minutes.test-support";

const LESSONS = readdirSync("lessons").filter((name) => existsSync(`lessons/${name}/index.mdx`));

/** `minutes` may differ from the walk by this share of it. */
const WITHIN = 0.2;

test.each(LESSONS)("%s takes about as many minutes as it states", (name) => {
  const { walked, said } = minutesOf(`lessons/${name}`);
  const words = `${name} takes ${walked.toFixed(1)} minutes, and lesson.json says ${said}`;
  expect(Math.abs(said - walked), words).toBeLessThanOrEqual(walked * WITHIN);
});
