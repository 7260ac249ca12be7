// Every lesson there is, checked; beside them lie the figures they show.

import { existsSync, readdirSync } from "node:fs";
import { describe } from "vitest";
import { testLesson } from "./checks.test-support";

const LESSONS = readdirSync("lessons").filter((name) => existsSync(`lessons/${name}/lesson.json`));

describe.each(LESSONS)("%s", (name) => testLesson(`lessons/${name}`));
