// The end of a lesson: what the reader can do now, and what to read next.

import { LESSONS, lessonAfter, PARTS } from "../../lessons/heads";
import type { Course } from "../../lessons/schema";
import { writeFragment } from "../../link/router";
import { RichText } from "../../ui/rich-text";
import { Goals } from "./LessonInfo";
import { ONWARDS } from "./words";

/** The goals, the next lesson of the course, and a link to all lessons. */
export function Onwards({ id, course }: { id: string; course: Course | undefined }) {
  const next = lessonAfter(id);
  const isLast = next === null && LESSONS.some((lesson) => lesson.id === id && lesson.course);
  return (
    <div className="onwards">
      {course && (
        <>
          <h2>{ONWARDS.whatYouCanDoNow}</h2>
          <Goals goals={course.goals} />
        </>
      )}
      <nav aria-label={ONWARDS.afterThisLesson}>
        {next && (
          <p>
            <RichText
              text={ONWARDS.nextLesson(
                next.course?.part,
                course?.part,
                titleOf(next.course),
                next.minutes,
                next.about,
              )}
              parts={{
                a: (
                  <a href={writeFragment({ page: "lesson", id: next.id })}>
                    <b>{next.title}</b>
                  </a>
                ),
              }}
            />
          </p>
        )}
        <p>
          {isLast && `${ONWARDS.thisIsLastLesson} `}
          <a href={writeFragment({ page: "home" })}>{ONWARDS.allLessons}</a>
        </p>
      </nav>
    </div>
  );
}

const titleOf = (course: Course | undefined): string =>
  PARTS.find(({ id }) => id === course?.part)?.title ?? "";
