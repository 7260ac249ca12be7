// The lessons of the course build on each other: parts and places have no gap, and a lesson comes after
// those it builds on.

import { expect, test } from "vitest";
import { LESSONS, lessonsOf, PARTS } from "../web/src/lessons/heads";

const ofCourse = LESSONS.filter(({ course }) => course !== undefined);

test("every lesson that the page shows is part of the course", () => {
  expect(LESSONS.filter((lesson) => !ofCourse.includes(lesson)).map(({ id }) => id)).toEqual([]);
});

test.each(PARTS)("the lessons of $title are numbered without a gap", ({ id }) => {
  const places = lessonsOf(id).map(({ course }) => course?.place);
  expect(places.length).toBeGreaterThan(0);
  expect(places).toEqual(places.map((_, i) => i + 1));
});

test.each(ofCourse.map((lesson) => [lesson.id, lesson] as const))(
  "%s builds on earlier lessons and names its audience",
  (_, lesson) => {
    const before = ofCourse.slice(0, ofCourse.indexOf(lesson)).map(({ id }) => id);
    const { builds_on = [], audience = "", goals = [] } = lesson.course ?? {};
    expect(builds_on.filter((id) => !before.includes(id))).toEqual([]);
    expect(audience).toMatch(/^For .+\.$/);
    // Each goal continues the phrase "After this lesson you can".
    expect(goals.filter((goal) => !/^[a-z].*[^.]$/.test(goal))).toEqual([]);
  },
);

test("the course begins with a lesson that builds on no other", () => {
  expect(ofCourse[0]?.course?.builds_on).toEqual([]);
});
