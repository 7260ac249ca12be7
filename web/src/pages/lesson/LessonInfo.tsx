// A lesson's position in the course: its audience, its goals, and the lessons that it builds on.

import { basesOf, lessonsOf, PARTS } from "../../lessons/heads";
import type { Course } from "../../lessons/schema";
import { standingOf, standingWords } from "../../lessons/standing";
import { writeFragment } from "../../link/router";
import "./lesson-info.css";
import { LESSON_INFO } from "./words";

/** The part of the course and the position in it: "Basics, lesson 2 of 3". */
function coursePosition(id: string, { part, place }: Course): string {
  const title = PARTS.find((each) => each.id === part)?.title ?? part;
  const lessons = lessonsOf(part);
  // A lesson from a folder is not part of the course.
  if (!lessons.some((lesson) => lesson.id === id)) return title;
  return LESSON_INFO.lessonOf(title, place, lessons.length);
}

/** What a reader should know about a lesson before starting it. */
export function LessonInfo({
  id,
  course,
  minutes,
}: {
  id: string;
  course: Course;
  minutes: number;
}) {
  const bases = basesOf(course);
  return (
    <dl className="lesson-facts">
      <div>
        <dt>{LESSON_INFO.level}</dt>
        <dd>
          {coursePosition(id, course)}. {course.audience}
        </dd>
      </div>
      <div>
        <dt>{LESSON_INFO.time}</dt>
        <dd>{LESSON_INFO.about(minutes)}</dd>
      </div>
      <div>
        <dt>{LESSON_INFO.buildsOn}</dt>
        <dd>
          {bases.length === 0 && LESSON_INFO.noOtherLesson}
          {bases.map((lesson) => (
            <span key={lesson.id}>
              <a href={writeFragment({ page: "lesson", id: lesson.id })}>{lesson.title}</a>{" "}
              <small>{standingWords(standingOf(lesson))}</small>
            </span>
          ))}
        </dd>
      </div>
      <div>
        <dt>{LESSON_INFO.goals}</dt>
        <dd>
          {LESSON_INFO.afterThisLessonYouCan}
          <Goals goals={course.goals} />
        </dd>
      </div>
    </dl>
  );
}

/** The goals of a lesson, shown at its end. */
export const Goals = ({ goals }: Pick<Course, "goals">) => (
  <ul className="goals">
    {goals.map((goal) => (
      <li key={goal}>{goal}</li>
    ))}
  </ul>
);
