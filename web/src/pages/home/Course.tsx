// The course as a path: its parts and lessons in order, their goals, and the reader's progress.

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
import { RichText } from "../../ui/rich-text";
import { COURSE_TEXTS } from "./words";

const inAll = (lessons: readonly LessonHead[]) =>
  lessons.reduce((sum, { minutes }) => sum + minutes, 0);

/** Minutes in words: "40 min", "2 h 50 min". */
function minutesWords(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return COURSE_TEXTS.restMin(rest);
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** Id of the course's heading. */
const COURSE = "course";

/** The first words of the link to the suggested lesson. */
const LEADS: Readonly<Record<Suggestion["kind"], string>> = {
  start: COURSE_TEXTS.startHere,
  continue: COURSE_TEXTS.continue,
  next: COURSE_TEXTS.nextLesson,
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
        {COURSE_TEXTS.aboutCourse(lessons.length, minutesWords(inAll(lessons)))}{" "}
        <button type="button" className="to-course" onClick={goToCourse}>
          {COURSE_TEXTS.seeAllLessons}
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
        <p className="now">{COURSE_TEXTS.youHaveFinishedEveryLesson}</p>
      )}
    </div>
  );
}

const progressOf = (lesson: LessonHead): string => {
  const standing = standingOf(lesson);
  return standing.kind === "begun" ? standingWords(standing) : minutesWords(lesson.minutes);
};

/** The path through the course, and a link for the user's own lessons. */
export function Course({ suggested, isFolded }: CourseView) {
  const outside = LESSONS.filter(({ course }) => course === undefined);
  return (
    <section className="course" aria-labelledby={COURSE}>
      <h2 id={COURSE} tabIndex={-1}>
        {COURSE_TEXTS.course}
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
        <RichText
          text={COURSE_TEXTS.openLesson}
          parts={{ a: (text) => <a href={writeFragment({ page: "folder" })}>{text}</a> }}
        />
      </p>
      <p>
        <RichText
          text={COURSE_TEXTS.forClassHandouts}
          parts={{ a: (text) => <a href={writeFragment({ page: "class" })}>{text}</a> }}
        />
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
        <small>{COURSE_TEXTS.lessonsMinutes(lessons.length, minutesWords(inAll(lessons)))}</small>
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

/** The circle next to a lesson; the words on its right have the same meaning. */
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
        <summary aria-label={COURSE_TEXTS.about(title)} />
        <About lesson={lesson} />
      </details>
    </li>
  );
}

/** A lesson's audience, goals and prerequisites. */
function About({ lesson: { course } }: { lesson: LessonHead }) {
  if (!course) return null;
  return (
    <>
      <p>{course.audience}</p>
      <p className="then">{COURSE_TEXTS.afterItYouCan}</p>
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
  if (lessons.length === 0) return <p className="bases">{COURSE_TEXTS.buildsOnNoOtherLesson}</p>;
  return (
    <p className="bases">
      {COURSE_TEXTS.buildsOn}{" "}
      {lessons.map(({ id, title }, i) => (
        <span key={id}>
          {i > 0 && (i === lessons.length - 1 ? COURSE_TEXTS.and : ", ")}
          <a href={writeFragment({ page: "lesson", id })}>{title}</a>
        </span>
      ))}
      .
    </p>
  );
}
