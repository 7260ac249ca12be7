// A lesson's place in the course: its audience, its goals, its bases.

import { counted } from "../../engine/format";
import { basesOf, lessonsOf, PARTS } from "../../lessons/heads";
import type { Course } from "../../lessons/schema";
import { standingOf, standingWords } from "../../lessons/standing";
import { writeFragment } from "../../link/router";
import "./lesson-info.css";

/** The part of the course and the place in it: "Basics, lesson 2 of 3". */
function coursePosition(id: string, { part, place }: Course): string {
  const title = PARTS.find((each) => each.id === part)?.title ?? part;
  const lessons = lessonsOf(part);
  // A lesson from a folder is not part of the course.
  if (!lessons.some((lesson) => lesson.id === id)) return title;
  return `${title}, lesson ${place} of ${lessons.length}`;
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
    <dl className="lesson-place">
      <div>
        <dt>Level</dt>
        <dd>
          {coursePosition(id, course)}. {course.audience}
        </dd>
      </div>
      <div>
        <dt>Time</dt>
        <dd>About {counted(minutes, "minute")}</dd>
      </div>
      <div>
        <dt>Builds on</dt>
        <dd>
          {bases.length === 0 && "No other lesson"}
          {bases.map((lesson) => (
            <span key={lesson.id}>
              <a href={writeFragment({ page: "lesson", id: lesson.id })}>{lesson.title}</a>{" "}
              <small>{standingWords(standingOf(lesson))}</small>
            </span>
          ))}
        </dd>
      </div>
      <div>
        <dt>Goals</dt>
        <dd>
          After this lesson you can
          <Goals goals={course.goals} />
        </dd>
      </div>
    </dl>
  );
}

/** What a reader can do after a lesson. */
export const Goals = ({ goals }: Pick<Course, "goals">) => (
  <ul className="goals">
    {goals.map((goal) => (
      <li key={goal}>{goal}</li>
    ))}
  </ul>
);
