// The table: a line for each student, three columns for each lesson and for all of them.

import { useState } from "react";
import { LESSONS } from "../../lessons/heads";
import { saveText } from "../../ui/save";
import type { Marked, Roster, RosterState } from "./roster";
import {
  csvOf,
  lessonsIn,
  type Order,
  PART_WORDS,
  PARTS,
  rowsOf,
  type StudentRow,
  shareOf,
} from "./table";
import { CLASS_TABLE } from "./words";

/** Words for answers without marks. */
const WORDS: Readonly<Record<Extract<Marked, string>, string>> = {
  marking: "…",
  unknown: "?",
  failed: "!",
};
const TITLES: Readonly<Record<Extract<Marked, string>, string>> = {
  marking: CLASS_TABLE.engineMarksAnswers,
  unknown: CLASS_TABLE.noLesson,
  failed: CLASS_TABLE.engineCouldNotMarkAnswers,
};

type Column = Exclude<Order["by"], "name">;

/** The students and their results; pressing a heading sorts by it. */
export function ClassTable({
  roster,
  students,
  marks,
}: Pick<RosterState, "students" | "marks"> & { roster: Roster }) {
  const [order, setOrder] = useState<Order>({ by: "name", isDown: false });
  const lessons = lessonsIn({ students }, LESSONS);
  const rows = rowsOf({ students, marks }, lessons, order);
  const groups = [{ id: null, title: CLASS_TABLE.allLessons }, ...lessons];
  const columns: readonly Column[] = groups.flatMap(({ id }) =>
    PARTS.map((part) => ({ lesson: id, part })),
  );
  const sort = (by: Order["by"]) =>
    setOrder((before) => {
      const isSame = JSON.stringify(before.by) === JSON.stringify(by);
      // Names are first sorted from A to Z, numbers from the largest.
      return { by, isDown: isSame ? !before.isDown : by !== "name" };
    });
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
      <section className="class-room" aria-label={CLASS_TABLE.resultsOfClass} tabIndex={0}>
        <table className="class-table">
          <thead>
            <tr>
              <SortHead by="name" words={CLASS_TABLE.student} {...{ order, sort }} rowSpan={2} />
              {groups.map(({ id, title }) => (
                <th key={id ?? ""} scope="colgroup" colSpan={PARTS.length} className="of-lesson">
                  {title}
                </th>
              ))}
              <td rowSpan={2} />
            </tr>
            <tr>
              {columns.map((by) => (
                <SortHead
                  key={`${by.lesson} ${by.part}`}
                  by={by}
                  words={PART_WORDS[by.part]}
                  {...{ order, sort }}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{row.name}</th>
                {columns.map((by) => (
                  <Cell key={`${by.lesson} ${by.part}`} row={row} by={by} />
                ))}
                <td>
                  <button
                    type="button"
                    className="btn line"
                    aria-label={CLASS_TABLE.removeLabel(row.name)}
                    onClick={() => roster.remove(row.name)}
                  >
                    {CLASS_TABLE.remove}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="class-acts">
        <button
          type="button"
          className="btn line"
          onClick={() => saveText(`\ufeff${csvOf(rows, lessons)}`, "mmscope-class.csv", "text/csv")}
        >
          {CLASS_TABLE.saveAsCsv}
        </button>
        <button type="button" className="btn line" onClick={() => roster.clear()}>
          {CLASS_TABLE.removeAll}
        </button>
        <span>{CLASS_TABLE.browserKeepsThisTable}</span>
      </p>
    </>
  );
}

function SortHead({
  by,
  words,
  order,
  sort,
  rowSpan,
}: {
  by: Order["by"];
  words: string;
  order: Order;
  sort: (by: Order["by"]) => void;
  rowSpan?: number;
}) {
  const isSorted = JSON.stringify(order.by) === JSON.stringify(by);
  const direction = order.isDown ? "descending" : "ascending";
  return (
    <th scope="col" rowSpan={rowSpan} aria-sort={isSorted ? direction : undefined}>
      <button type="button" onClick={() => sort(by)}>
        {words}
        <span aria-hidden="true">{isSorted ? (order.isDown ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

function Cell({ row: { marks, total }, by: { lesson, part } }: { row: StudentRow; by: Column }) {
  const marked = lesson === null ? undefined : marks[lesson];
  if (typeof marked === "string") {
    return (
      <td title={TITLES[marked]}>
        <span aria-hidden="true">{WORDS[marked]}</span>
        <span className="sr">{TITLES[marked]}</span>
      </td>
    );
  }
  const share = lesson === null ? total[part] : shareOf(marked, part);
  return (
    <td data-full={(share && share.of > 0 && share.done === share.of) || undefined}>
      {share && share.of > 0 ? (
        <>
          <b>{share.done}</b>/{share.of}
        </>
      ) : (
        <span className="no-mark">–</span>
      )}
    </td>
  );
}
