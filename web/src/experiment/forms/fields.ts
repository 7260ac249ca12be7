// Defines the fields of a form, and converts between typed text and the JSON of an experiment.
// Invalid text stays as typed, and the engine reports the error at the field.

import { count, hex, size } from "../../engine/format";
import type { Json } from "./tree";
import { FIELDS } from "./words";

/** How a field's value is written and read. */
export type FieldKind =
  /** A name. */
  | { readonly kind: "text" }
  /** A whole number. */
  | { readonly kind: "number" }
  /** Pages; a size with a unit is converted to pages. */
  | { readonly kind: "pages" }
  /** A page frame number, or its address with a unit. */
  | { readonly kind: "pfn" }
  /** Memory in the workload language: pages, a size, or a share of memory. */
  | { readonly kind: "size" }
  /** A count, as a number or as a share of memory's pages. */
  | { readonly kind: "amount" }
  /** KiB; a larger unit is converted to KiB. */
  | { readonly kind: "kib" }
  /** Bytes a second. */
  | { readonly kind: "rate" }
  /** A time span with its unit. */
  | { readonly kind: "time" }
  /** Names separated by commas. */
  | { readonly kind: "names" }
  /** Whole numbers separated by commas. */
  | { readonly kind: "numbers" }
  /** Yes or no. */
  | { readonly kind: "flag"; readonly yes: string; readonly no: string }
  /** One of several words, each with its meaning. */
  | {
      readonly kind: "choice";
      readonly of: readonly (readonly [value: string | number, means: string])[];
    };

/** A field of a form. */
export interface FieldInfo {
  /** The name of the field in the JSON. */
  readonly name: string;
  readonly title: string;
  /** The purpose of the field, in one sentence. */
  readonly about: string;
  readonly as: FieldKind;
  /** The default; a field without a default is required. */
  readonly usual?: string;
}

const BYTES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 } as const;
const SIZE = /^(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|TiB)$/;
const RATE = /^(\d+(?:\.\d+)?)\s*(kB|MB|GB)(?:\/s| a second)?$/;
const PER_S = { kB: 1e3, MB: 1e6, GB: 1e9 } as const;

const digitsOf = (text: string): number | null =>
  /^\d{1,15}$/.test(text.replaceAll(",", "")) ? Number(text.replaceAll(",", "")) : null;

/** A size as a whole number of units; null if the text is not a size. */
function unitsOf(text: string, bytes: number): number | null {
  const [, number = "", unit = "B"] = SIZE.exec(text) ?? [];
  const units = (Number(number) * BYTES[unit as keyof typeof BYTES]) / bytes;
  return number !== "" && Number.isSafeInteger(units) ? units : null;
}

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");

/** The JSON value of a typed text; undefined if the field is left out. */
export function parsed(
  { as, usual }: Pick<FieldInfo, "as" | "usual">,
  typed: string,
  page_bytes: number,
): Json | undefined {
  const text = typed.trim();
  if (text === "" && usual !== undefined) return undefined;
  switch (as.kind) {
    case "number":
    case "amount":
    case "size":
      return digitsOf(text) ?? text;
    case "pages":
      return digitsOf(text) ?? unitsOf(text, page_bytes) ?? text;
    case "pfn":
      if (/^0x[0-9a-f]{1,12}$/i.test(text)) return Number.parseInt(text, 16);
      return digitsOf(text) ?? unitsOf(text, page_bytes) ?? text;
    case "kib":
      return digitsOf(text) ?? unitsOf(text, 1024) ?? text;
    case "rate":
      return digitsOf(text) ?? rateOf(text) ?? text;
    case "names":
      return wordsOf(text);
    case "numbers":
      return wordsOf(text).map((word) => digitsOf(word) ?? word);
    case "flag":
      return text === "yes";
    case "choice":
      return as.of.find(([value]) => String(value) === text)?.[0] ?? text;
    case "text":
    case "time":
      return text;
  }
}

function rateOf(text: string): number | null {
  const [, number = "", unit = ""] = RATE.exec(text) ?? [];
  const rate = Math.round(Number(number) * (PER_S[unit as keyof typeof PER_S] ?? Number.NaN));
  return Number.isSafeInteger(rate) ? rate : null;
}

/** The text of a field for a JSON value. */
export function fieldText({ as }: Pick<FieldInfo, "as">, value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (as.kind === "pfn" && typeof value === "number") return hex(value);
  if ((as.kind === "names" || as.kind === "numbers") && Array.isArray(value)) {
    return value.join(", ");
  }
  if (as.kind === "flag" && typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The same value in another unit, if that is helpful: "16 MiB" for pages. */
export function inWords(
  { as }: Pick<FieldInfo, "as">,
  value: Json | undefined,
  page_bytes: number,
): string {
  if (typeof value !== "number") return "";
  switch (as.kind) {
    case "pages":
    case "size":
      return FIELDS.pages(value, page_bytes);
    case "pfn":
      return value === 0 ? "at 0" : `at ${size(value, page_bytes)}`;
    case "kib":
      return size(value, 1024);
    case "rate":
      return rateWords(value);
    default:
      return "";
  }
}

/** Bytes a second with three figures: 145 MB/s, 8.44 GB/s. */
function rateWords(bytes_per_s: number): string {
  const [unit, name] = bytes_per_s < 1e9 ? [1e6, "MB/s"] : [1e9, "GB/s"];
  const value = bytes_per_s / unit;
  return `${value < 100 ? value.toPrecision(3) : count(value)} ${name}`;
}
