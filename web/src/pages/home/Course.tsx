// The course as a path: its parts and lessons in order, their goals, and the reader's progress.

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

/** Minutes in words: "40 min", "2 h 50 min". */
function minutesWords(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** Id of the course's heading. */
const COURSE = "course";

/** The first words of the link to the suggested lesson. */
const LEADS: Readonly<Record<Suggestion["kind"], string>> = {
  start: "Start here",
  continue: "Continue",
  next: "Next lesson",
};

/** Scrolls to the course. */
function goToCourse() {
  const head = document.getElementById(COURSE);
  head?.scrollIntoView({ block: "start" });
  head?.focus({ preventScroll: true });
}

/** Introduces the course, with a link to the suggested lesson. */
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

/** The path through the course, and a link for a person's own lessons. */
export function Course({ suggested, isFolded }: CourseView) {
  const outside = LESSONS.filter(({ course }) => course === undefined);
  return (
    <section className="course" aria-labelledby={COURSE}>
      <h2 id={COURSE} tabIndex={-1}>
        The course
      </h2>
      <div className="parts">
        {PARTS.map((part) => (
          <CourseSection key={part.id} part={part} suggested={suggested} isFolded={isFolded} />
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

interface CourseView {
  readonly suggested: Suggestion | null;
  /** The descriptions of lessons are folded, except that of the suggested one. */
  readonly isFolded: boolean;
}

function CourseSection({
  part: { id, title },
  suggested,
  isFolded,
}: CourseView & { part: CoursePart }) {
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

/** The circle beside a lesson; the words on its right have the same meaning. */
const MARKS: Readonly<Record<Standing["kind"], string>> = {
  "not begun": "",
  begun: "is-begun",
  finished: "is-finished",
};

/** A lesson, marked if it is the suggested one. */
function Stop({ lesson, suggested, isFolded }: CourseView & { lesson: LessonHead }) {
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

/** A lesson's audience, goals and bases. */
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
