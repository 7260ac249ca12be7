// The rows of a log as text that the user reads and searches.

import { logEntry } from "../engine/log-entry";
import { type Rows, readRecord } from "../engine/record";
import type { Words } from "../engine/sentence";
import type { LogEntry } from "../engine/types";

/** The event or decision of a row. */
export const entryAt = (words: Words, rows: Rows, index: number): LogEntry =>
  logEntry(readRecord(words.catalog, rows.row(index)), words);

/** A decision's sentence as text. */
export const sentenceText = ({ sentence }: Pick<LogEntry, "sentence">): string =>
  (sentence ?? []).map(({ text }) => text).join("");

/** A record as one line: a decision's sentence, then fields as "pfn=0x840 order=0". */
export const lineOf = (record: LogEntry): string =>
  [sentenceText(record), ...record.fields.map(({ name, text }) => `${name}=${text}`)]
    .filter((words) => words !== "")
    .join(" ");

/** The text that a search covers, in lower case. */
export const searchText = (record: LogEntry): string =>
  [
    record.name,
    record.taskName,
    record.zone ?? "",
    `#${record.step}`,
    lineOf(record),
    // A number matches with its commas and without.
    record.fields
      .map(({ name, value, text }) => `${name}=${isNumber(value) ? value : text}`)
      .join(" "),
  ]
    .join(" ")
    .toLowerCase();

const isNumber = (value: unknown): value is number => typeof value === "number";

/** Does a record contain every word of a search? */
export function isFound(text: string, search: string): boolean {
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
