// Makes the folder of a new lesson: small, complete, and passing all tests from the start.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Refusal } from "./project.mjs";

const template = join(dirname(fileURLToPath(import.meta.url)), "lesson-template");

/** A name is part of an address: `#/lesson/NAME`. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** @param {string} name */
const titleOf = (name) => {
  const words = name.replaceAll("-", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** The test file of a lesson, `lessons/tests/NAME.test.ts`. @param {string} name */
export const testFileOf = (name) =>
  `import { checkLesson } from "../checks.test-support";\n\ncheckLesson(${JSON.stringify(name)});\n`;

/**
 * Makes a lesson and its test; rejects an invalid name with the reason.
 * @param {string | undefined} name
 * @param {string} lessons the folder for the new one
 * @returns {string} its folder
 */
export function makeLesson(name, lessons) {
  if (!name) throw new Refusal("Give the lesson a name: npm run new-lesson NAME.");
  if (!NAME.test(name)) {
    throw new Refusal(
      `"${name}" cannot be a lesson's name. A name is part of addresses: use small letters and digits, with single dashes between words, and begin with a letter.`,
    );
  }
  const folder = join(lessons, name);
  if (existsSync(folder)) throw new Refusal(`The folder ${folder} already exists.`);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(template)) {
    const text = readFileSync(join(template, file), "utf8");
    writeFileSync(join(folder, file), text.replace('"TITLE"', JSON.stringify(titleOf(name))));
  }
  mkdirSync(join(lessons, "tests"), { recursive: true });
  writeFileSync(join(lessons, "tests", `${name}.test.ts`), testFileOf(name));
  return folder;
}
