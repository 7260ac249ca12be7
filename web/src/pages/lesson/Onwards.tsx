// The end of a lesson: what the reader can do now, and what to read next.

import { counted } from "../../engine/format";
import { LESSONS, lessonAfter, PARTS } from "../../lessons/heads";
import type { Course } from "../../lessons/schema";
import { writeFragment } from "../../link/router";
import { Goals } from "./LessonInfo";

/** The goals, the next lesson of the course, and a link to all lessons. */
export function Onwards({ id, course }: { id: string; course: Course | undefined }) {
  const next = lessonAfter(id);
  const isLast = next === null && LESSONS.some((lesson) => lesson.id === id && lesson.course);
  return (
    <div className="onwards">
      {course && (
        <>
          <h2>What you can do now</h2>
          <Goals goals={course.goals} />
        </>
      )}
      <nav aria-label="After this lesson">
        {next && (
          <p>
            Next lesson:{" "}
            <a href={writeFragment({ page: "lesson", id: next.id })}>
              <b>{next.title}</b>
            </a>
            {next.course?.part !== course?.part && `, the first of ${titleOf(next.course)}`},{" "}
            {counted(next.minutes, "minute")}. {next.about}
          </p>
        )}
        <p>
          {isLast && "This is the last lesson of the course. "}
          <a href={writeFragment({ page: "home" })}>All lessons</a>
        </p>
      </nav>
    </div>
  );
}

const titleOf = (course: Course | undefined): string =>
  PARTS.find(({ id }) => id === course?.part)?.title ?? "";
