// The table of a class: its columns and rows, sorted, and the same as CSV.

import type { LessonHead } from "../../lessons/heads";
import { csvText } from "../../ui/save";
import { type Marked, markKey, type RosterState } from "./roster";
import { TABLE } from "./words";

/** The parts of a lesson's result. */
export const PARTS = ["answered", "right", "built"] as const;
/** One of {@link PARTS}. */
type ResultPart = (typeof PARTS)[number];

/** Words for the parts. */
export const PART_WORDS: Readonly<Record<ResultPart, string>> = {
  answered: TABLE.answered,
  right: TABLE.rightAtFirstTry,
  built: TABLE.built,
};

/** A number out of a total. */
interface Share {
  readonly done: number;
  readonly of: number;
}

/** The sort order of a table: by name, or by a part of all lessons or of one. */
export interface Order {
  readonly by: "name" | { readonly lesson: string | null; readonly part: ResultPart };
  readonly isDown: boolean;
}

/** A student's line. */
export interface StudentRow {
  readonly name: string;
  /** By lesson; undefined if there are no answers. */
  readonly marks: Readonly<Record<string, Marked | undefined>>;
  readonly total: Readonly<Record<ResultPart, Share>>;
}

/** A part of a mark; null if the mark does not have it. */
export function shareOf(marked: Marked | undefined, part: ResultPart): Share | null {
  if (typeof marked !== "object") return null;
  const of = part === "built" ? marked.builds : marked.questions;
  return of === 0 ? null : { done: marked[part], of };
}

/**
 * The lessons with answers, in the order of the course; then those that this page does not have.
 */
export function lessonsIn(
  { students }: Pick<RosterState, "students">,
  heads: readonly Pick<LessonHead, "id" | "title">[],
): readonly { readonly id: string; readonly title: string }[] {
  const ids = new Set(students.flatMap(({ lessons }) => Object.keys(lessons)));
  const known = heads.filter(({ id }) => ids.delete(id)).map(({ id, title }) => ({ id, title }));
  return [...known, ...[...ids].sort().map((id) => ({ id, title: id }))];
}

/** The rows of a table, in an order. */
export function rowsOf(
  { students, marks }: Pick<RosterState, "students" | "marks">,
  lessons: readonly { readonly id: string }[],
  { by, isDown }: Order,
): readonly StudentRow[] {
  const rows = students.map(({ name, lessons: own }): StudentRow => {
    const of = (id: string) => (id in own ? (marks[markKey(name, id)] ?? "marking") : undefined);
    const marked = Object.fromEntries(lessons.map(({ id }) => [id, of(id)]));
    const total = (part: ResultPart) =>
      sum(Object.values(marked).map((each) => shareOf(each, part)));
    return {
      name,
      marks: marked,
      total: { answered: total("answered"), right: total("right"), built: total("built") },
    };
  });
  const sign = isDown ? -1 : 1;
  const value = (row: StudentRow): number => {
    if (by === "name") return 0;
    if (by.lesson === null) return row.total[by.part].done;
    return shareOf(row.marks[by.lesson], by.part)?.done ?? -1;
  };
  const byName = (a: StudentRow, b: StudentRow) => a.name.localeCompare(b.name);
  return rows.sort((a, b) =>
    by === "name" ? sign * byName(a, b) : sign * (value(a) - value(b)) || byName(a, b),
  );
}

const sum = (shares: readonly (Share | null)[]): Share =>
  shares.reduce<Share>(
    (all, each) => ({ done: all.done + (each?.done ?? 0), of: all.of + (each?.of ?? 0) }),
    { done: 0, of: 0 },
  );

/** The table as CSV: a line for each student, with number and total for each lesson. */
export function csvOf(
  rows: readonly StudentRow[],
  lessons: readonly { readonly id: string; readonly title: string }[],
): string {
  const head = lessons.flatMap(({ title }) =>
    PARTS.flatMap((part) => [`${title}: ${PART_WORDS[part]}`, `${title}: ${PART_WORDS[part]}, of`]),
  );
  const totals = PARTS.flatMap((part) => [PART_WORDS[part], TABLE.partOfWords(PART_WORDS[part])]);
  const lines = rows.map(({ name, marks, total }) => [
    harmless(name),
    ...PARTS.flatMap((part) => [total[part].done, total[part].of]),
    ...lessons.flatMap(({ id }) =>
      PARTS.flatMap((part) => {
        const share = shareOf(marks[id], part);
        return share ? [share.done, share.of] : [null, null];
      }),
    ),
  ]);
  return csvText([["Student", ...totals, ...head.map(harmless)], ...lines]);
}

/** A spreadsheet would run a text with such a beginning as a formula. */
const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
