// Where to go at the end of a lesson.

import { counted } from "../../engine/format";
import { LESSONS, lessonAfter } from "../../lessons/heads";
import { writeFragment } from "../../link/router";

/** The next lesson and the list of all. */
export function Onwards({ id }: { id: string }) {
  const next = lessonAfter(id);
  return (
    <nav className="onwards" aria-label="After this lesson">
      {next && (
        <p>
          Next lesson:{" "}
          <a href={writeFragment({ page: "lesson", id: next.id })}>
            <b>{next.title}</b>
          </a>
          , {counted(next.minutes, "minute")}. {next.about}
        </p>
      )}
      <p>
        {id === LESSONS.at(-1)?.id && "This is the last lesson. "}
        <a href={writeFragment({ page: "home" })}>All lessons</a>
      </p>
    </nav>
  );
}
