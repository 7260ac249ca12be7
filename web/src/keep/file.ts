// Writes and reads a moment, or a whole library, as a human-readable file. A file is checked in the
// same way as a link: the same upgraders, the same schema, then the engine.

import { shortened, shortSentence } from "../engine/shortened";
import { KEPT_LIMITS } from "../link/codec";
import { fieldsIn, placeAt, scanJson } from "../link/json-positions";
import {
  bareLink,
  documentOf,
  judgeDocument,
  type Link,
  type LinkRefusal,
  type Presets,
} from "../link/link";
import { FILE } from "./words";

/** The first field of a file with one moment. */
const MOMENT_FORMAT = "mmscope moment";
/** The first field of a file with a library. */
const LIBRARY_FORMAT = "mmscope library";
/** Format of a library's file; its moments use the formats of links. */
const LIBRARY_VERSION = 1;
/** The maximum length of the message about one moment of a library. */
const MAX_FAULT = 300;
/** Largest size of a file in bytes: a library of thousands of moments. */
export const MOST_FILE_BYTES = 16_777_216;

/** A moment of a library's file. */
export interface SavedLink {
  readonly link: Link;
  /** When it was saved, ms since 1970. */
  readonly saved_ms: number;
}

/** The reason why a file was not opened. */
export interface RefusedFile {
  readonly kind: "refused";
  readonly why: LinkRefusal;
  readonly detail: string;
}

/** The contents of a file. */
export type FileContents =
  /** `inside`: the field that contains the experiment. */
  | { readonly kind: "moment"; readonly link: Link; readonly inside: string }
  /** `faults`: a message for each moment that cannot be read. */
  | {
      readonly kind: "library";
      readonly moments: readonly SavedLink[];
      readonly faults: readonly string[];
    }
  | RefusedFile;

type Fields = Readonly<Record<string, unknown>>;

/** Writes a moment: the whole experiment, and everything else that a link contains. */
export function writeMoment(link: Link, presets: Presets): string {
  const { v, preset: _, changes: __, ...around } = documentOf(link, presets);
  const { title, note, ...rest } = around;
  const experiment: unknown = JSON.parse(link.experiment);
  return text({ format: MOMENT_FORMAT, v, title, note, experiment, ...rest });
}

/** Writes a library. */
export function writeLibrary(moments: readonly SavedLink[], presets: Presets): string {
  const written = moments.map(({ link, saved_ms }) => ({
    saved: new Date(saved_ms).toISOString(),
    ...documentOf(link, presets),
  }));
  return text({ format: LIBRARY_FORMAT, v: LIBRARY_VERSION, moments: written });
}

const text = (document: Fields) => `${JSON.stringify(document, null, 2)}\n`;

/** The file name for a moment. */
export function fileName(title: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file name has them
  const bare = title.replace(/[\\/:*?"<>|\u0000-\u001f]+/g, " ").replace(/\s+/g, " ");
  const short = bare.trim().replace(/^\.+/, "").slice(0, 80).trim();
  return `${short || "moment"}.mmscope.json`;
}

/** Checks the text of a file. This never throws and never runs an experiment. */
export function readFile(text: string, presets: Presets): FileContents {
  const scanned = scanJson(text);
  if (!scanned.ok) {
    const { line, column } = placeAt(text, scanned.at);
    return refused("not-ours", FILE.at(line, column, scanned.reason));
  }
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) return refused("not-ours", NOT_OURS);
  if (document.format === LIBRARY_FORMAT) return readLibrary(document, text, presets);
  if (text.length > KEPT_LIMITS.characters) return tooLarge(text.length, KEPT_LIMITS.characters);
  if (document.format !== undefined && document.format !== MOMENT_FORMAT) {
    return refused("not-ours", FILE.otherFormat(shortened(JSON.stringify(document.format))));
  }
  return readMoment(document, text, presets);
}

const NOT_OURS = FILE.notOurs;

const refused = (why: LinkRefusal, detail: string): RefusedFile => ({
  kind: "refused",
  why,
  detail,
});

/** The error for a file that is too large. */
export const tooLarge = (size: number, most: number): RefusedFile =>
  refused("too-large", FILE.tooLarge(size, most));

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Is it a plain experiment instead of a saved moment? */
const isExperiment = (document: Fields) =>
  !("v" in document) && ["kernel", "machine", "workload"].some((field) => field in document);

function readMoment(document: Fields, text: string, presets: Presets): FileContents {
  const { format, ...fields } = document;
  if (format === undefined && isExperiment(document)) {
    return { kind: "moment", link: bareLink(JSON.stringify(document)), inside: "" };
  }
  if (format === undefined && !("v" in document)) return refused("not-ours", NOT_OURS);
  const judged = judge(fields, presets);
  if (judged.ok) return { kind: "moment", link: judged.link, inside: "experiment" };
  return refused(judged.why, `${linesOf(text)(judged.path)}${shortSentence(judged.detail)}`);
}

/** A file contains the whole experiment, a link only the differences. */
function judge({ experiment, ...fields }: Fields, presets: Presets) {
  if (experiment === undefined) return judgeDocument(fields, presets);
  const fault = (path: string, reason: string) =>
    ({ ok: false, why: "invalid", path, detail: `${path}: ${reason}` }) as const;
  if (!isObject(experiment)) return fault("experiment", FILE.mustBeObject);
  for (const path of ["preset", "changes"]) {
    if (path in fields) return fault(path, FILE.besideExperiment);
  }
  return judgeDocument({ ...fields, changes: [[[], experiment]] }, presets);
}

/** Checks a moment of a library. A moment that the library could not open again is an error. */
function judgeSetup(fields: Fields, presets: Presets) {
  const { length } = JSON.stringify(fields);
  if (length <= KEPT_LIMITS.characters) return judge(fields, presets);
  const { why, detail } = tooLarge(length, KEPT_LIMITS.characters);
  return { ok: false, why, detail, path: "" } as const;
}

function readLibrary(document: Fields, text: string, presets: Presets): FileContents {
  const lineOf = linesOf(text);
  const { v, moments } = document;
  if (typeof v === "number" && v > LIBRARY_VERSION) {
    const detail = FILE.newerFormat(v, LIBRARY_VERSION);
    return refused("from-a-newer-version", detail);
  }
  if (v !== LIBRARY_VERSION) return refused("invalid", `${lineOf("v")}v: must be 1.`);
  if (!Array.isArray(moments)) {
    return refused("invalid", FILE.notList(lineOf("moments")));
  }
  const read: SavedLink[] = [];
  const faults: string[] = [];
  for (const [i, moment] of moments.entries()) {
    const { saved, ...fields } = isObject(moment) ? moment : {};
    const judged = judgeSetup(fields, presets);
    if (judged.ok) read.push({ link: judged.link, saved_ms: timeOf(saved) });
    else {
      const at = `moments[${i}]`;
      const line = lineOf(judged.path ? `${at}.${judged.path}` : at);
      faults.push(`${line}${at}: ${shortened(judged.detail, MAX_FAULT)}`);
    }
  }
  return { kind: "library", moments: read, faults };
}

function timeOf(saved: unknown): number {
  const saved_ms = typeof saved === "string" ? Date.parse(saved) : Number.NaN;
  return Number.isFinite(saved_ms) ? saved_ms : Date.now();
}

/** The line of a field as a prefix: "Line 12: ", or an empty text if the field has no line. */
export function linesOf(text: string): (path: string | undefined) => string {
  const placeOf = fieldsIn(text);
  return (path) => {
    const place = path ? placeOf(path) : null;
    return place && place.line > 1 ? `Line ${place.line}: ` : "";
  };
}
