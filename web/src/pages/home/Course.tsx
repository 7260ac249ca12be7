// The course as a path: its parts and lessons in order, what each is for, and how far a reader is.

import { counted } from "../../engine/format";
import {
  basesOf,
  type CoursePart,
  LESSONS,
  type LessonHead,
  lessonsOf,
  PARTS,
} from "../../lessons/heads";
import { type Standing, type Suggestion, standingOf, standingWords } from "../../lessons/standing";
import { writeFragment } from "../../link/router";

const inAll = (lessons: readonly LessonHead[]) =>
  lessons.reduce((sum, { minutes }) => sum + minutes, 0);

/** Minutes as a person says them: "40 min", "2 h 50 min". */
function minutesWords(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** Id of the course's heading. */
const COURSE = "course";

/** What the link to the lesson to read now begins with. */
const LEADS: Readonly<Record<Suggestion["kind"], string>> = {
  start: "Start here",
  continue: "Continue",
  next: "Next lesson",
};

/** Brings the course into sight. */
function goToCourse() {
  const head = document.getElementById(COURSE);
  head?.scrollIntoView({ block: "start" });
  head?.focus({ preventScroll: true });
}

/** What the course is, and the lesson to read now. */
export function Begin({ suggested }: { suggested: Suggestion | null }) {
  const lessons = LESSONS.filter(({ course }) => course !== undefined);
  return (
    <div className="begin">
      <p>
        A course of {counted(lessons.length, "lesson")}, {minutesWords(inAll(lessons))} in all. It
        begins with malloc and page faults, and needs no knowledge of the kernel.{" "}
        <button type="button" className="to-course" onClick={goToCourse}>
          See all lessons
        </button>
      </p>
      {suggested ? (
        <p className="now">
          <a
            className="btn solid"
            href={writeFragment({ page: "lesson", id: suggested.lesson.id })}
            aria-label={`${LEADS[suggested.kind]}: ${suggested.lesson.title}`}
          >
            {LEADS[suggested.kind]}
          </a>
          <span>
            {suggested.lesson.title} <small>{progressOf(suggested.lesson)}</small>
          </span>
        </p>
      ) : (
        <p className="now">You have finished every lesson.</p>
      )}
    </div>
  );
}

const progressOf = (lesson: LessonHead): string => {
  const standing = standingOf(lesson);
  return standing.kind === "begun" ? standingWords(standing) : minutesWords(lesson.minutes);
};

/** The path through the course, and lessons of one's own. */
export function Course({ suggested, isFolded }: Shown) {
  const outside = LESSONS.filter(({ course }) => course === undefined);
  return (
    <section className="course" aria-labelledby={COURSE}>
      <h2 id={COURSE} tabIndex={-1}>
        The course
      </h2>
      <div className="parts">
        {PARTS.map((part) => (
          <Part key={part.id} part={part} suggested={suggested} isFolded={isFolded} />
        ))}
      </div>
      {outside.map((lesson) => (
        <p key={lesson.id}>
          <a href={writeFragment({ page: "lesson", id: lesson.id })}>{lesson.title}</a>:{" "}
          {lesson.about}
        </p>
      ))}
      <p>
        <a href={writeFragment({ page: "folder" })}>Open a lesson of your own</a> from its folder.
      </p>
      <p>
        <a href={writeFragment({ page: "class" })}>For a class</a>: handouts, and answers as files.
      </p>
    </section>
  );
}

interface Shown {
  readonly suggested: Suggestion | null;
  /** What is said of a lesson is folded, but for the one to read now. */
  readonly isFolded: boolean;
}

function Part({ part: { id, title }, suggested, isFolded }: Shown & { part: CoursePart }) {
  const lessons = lessonsOf(id);
  return (
    <section aria-labelledby={`part-${id}`}>
      <h3 id={`part-${id}`}>
        {title}
        <small>
          {counted(lessons.length, "lesson")}, {minutesWords(inAll(lessons))}
        </small>
      </h3>
      <ol className="path">
        {lessons.map((lesson) => (
          <Stop
            key={lesson.id}
            lesson={lesson}
            suggested={suggested?.lesson === lesson ? suggested : null}
            isFolded={isFolded}
          />
        ))}
      </ol>
    </section>
  );
}

/** The circle beside a lesson; the words at its right say the same. */
const MARKS: Readonly<Record<Standing["kind"], string>> = {
  "not begun": "",
  begun: "is-begun",
  finished: "is-finished",
};

/** A lesson; suggested where it is the one to read now. */
function Stop({ lesson, suggested, isFolded }: Shown & { lesson: LessonHead }) {
  const { id, title, minutes } = lesson;
  const standing = standingOf(lesson);
  return (
    <li className={`${MARKS[standing.kind]}${suggested ? " is-suggested" : ""}`.trim()}>
      <a href={writeFragment({ page: "lesson", id })}>
        <b>{title}</b>
        <span className="how-far">
          {standing.kind === "not begun" ? minutesWords(minutes) : standingWords(standing)}
        </span>
      </a>
      <details key={`${isFolded}`} open={!isFolded || suggested !== null}>
        <summary aria-label={`About ${title}`} />
        <About lesson={lesson} />
      </details>
    </li>
  );
}

/** For whom a lesson is, what it teaches and what it builds on. */
function About({ lesson: { course } }: { lesson: LessonHead }) {
  if (!course) return null;
  return (
    <>
      <p>{course.audience}</p>
      <p className="then">After it you can</p>
      <ul>
        {course.goals.map((goal) => (
          <li key={goal}>{goal}</li>
        ))}
      </ul>
      <Bases lessons={basesOf(course)} />
    </>
  );
}

function Bases({ lessons }: { lessons: readonly LessonHead[] }) {
  if (lessons.length === 0) return <p className="bases">Builds on no other lesson.</p>;
  return (
    <p className="bases">
      Builds on{" "}
      {lessons.map(({ id, title }, i) => (
        <span key={id}>
          {i > 0 && (i === lessons.length - 1 ? " and " : ", ")}
          <a href={writeFragment({ page: "lesson", id })}>{title}</a>
        </span>
      ))}
      .
    </p>
  );
}
