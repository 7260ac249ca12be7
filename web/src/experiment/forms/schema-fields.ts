// Fields of forms, made from the engine's types. This module only adds how a form shows a value:
// the widget, the other ways to type a value, and the order of fields.

import { type Schema, typeNamed, typeNameOf, whole } from "../../engine/schema";
import type { FieldInfo, FieldKind } from "./fields";
import { SCHEMA_FIELDS } from "./words";

type Choices = Extract<FieldKind, { kind: "choice" }>["of"];

/** Formats for typing a value besides the number in the JSON. */
const TYPED: Partial<Record<FieldKind["kind"], string>> = {
  pages: SCHEMA_FIELDS.pages,
  pfn: SCHEMA_FIELDS.pageFrame,
  kib: SCHEMA_FIELDS.kib,
  rate: SCHEMA_FIELDS.rate,
};

/** Formats of numbers, by unit. */
const COUNTED: Readonly<Record<string, FieldKind>> = {
  pages: { kind: "pages" },
  pfn: { kind: "pfn" },
  KiB: { kind: "kib" },
  "bytes a second": { kind: "rate" },
};

/** Choices whose words are codes; the form shows only the meanings. */
const BY_MEANING: readonly (string | undefined)[] = ["CostEra", "DeviceModel"];

/**
 * The form fields of a type: the fields in `first`, in that order, then all other single values.
 */
export function fieldsOf(
  schema: Schema,
  first: readonly string[],
  without: readonly string[] = [],
): readonly FieldInfo[] {
  const { properties = {}, required = [] } = schema;
  const others = Object.keys(properties).filter((name) => !first.includes(name));
  return [...first, ...others]
    .filter((name) => !without.includes(name))
    .flatMap((name) => {
      const property = properties[name];
      if (!property) throw new Error(`the schema has no field ${name}`);
      return fieldOf(name, property, required.includes(name)) ?? [];
    });
}

/** The same, for a type by its name. */
export const fieldsOfType = (
  type: string,
  first: readonly string[],
  without: readonly string[] = [],
) => fieldsOf(typeNamed(type), first, without);

/** A field; null if a form shows it as several values, or if only one value is possible. */
export function fieldOf(name: string, schema: Schema, isNeeded: boolean): FieldInfo | null {
  const as = kindOf(schema);
  if (!as) return null;
  const info = { name, title: titleOf(name, schema), about: aboutOf(schema, as), as };
  return isNeeded ? info : { ...info, usual: usualOf(schema) };
}

/**
 * A field's title: "zonelist_order" is "Zonelist order" unless the schema has a title. The name of a
 * kernel file stays as it is.
 */
export function titleOf(name: string, { title }: Schema): string {
  if (name.includes(".")) return title ?? name;
  const words = name.replaceAll("_", " ");
  return title ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The meaning of a field, and its format. */
function aboutOf(schema: Schema, { kind }: FieldKind): string {
  const name = typeNameOf(schema);
  const isWritten = kind === "size" || kind === "time";
  const how = isWritten && name ? typeNamed(name).description : TYPED[kind];
  return [whole(schema).description, how].filter(Boolean).join(" ");
}

function usualOf(schema: Schema): string {
  const { default: usual, "x-left-out": words } = whole(schema);
  if (words !== undefined) return words;
  if (typeof usual === "boolean") return usual ? "yes" : "no";
  return usual === undefined ? "none" : String(usual);
}

function kindOf(schema: Schema): FieldKind | null {
  const { type, const: only, items, "x-unit": unit, "x-words": words } = whole(schema);
  const name = typeNameOf(schema);
  if (only !== undefined) return null;
  if (name === "Size") return { kind: unit === "blocks" ? "amount" : "size" };
  if (name === "Limit") return { kind: "size" };
  if (name === "Time") return { kind: "time" };
  const of = choicesOf(schema);
  if (of) return { kind: "choice", of };
  switch (type) {
    case "boolean": {
      const [yes = "yes", no = "no"] = words ?? [];
      return { kind: "flag", yes, no };
    }
    case "integer":
      return COUNTED[unit ?? ""] ?? { kind: "number" };
    case "string":
      return { kind: "text" };
    case "array":
      if (items?.type === "integer") return { kind: "numbers" };
      return items?.type === "string" ? { kind: "names" } : null;
    default:
      return null;
  }
}

/** The words of a choice, each with its meaning. */
function choicesOf(schema: Schema): Choices | null {
  const { enum: words, oneOf, "x-unit": unit } = whole(schema);
  const isWord = (value: unknown) => typeof value === "string" || typeof value === "number";
  if (words) {
    const known = words.filter(isWord);
    return known.map((word) => [word, unit ? `${word} ${unit}` : String(word)]);
  }
  const each = oneOf?.flatMap((one) => (one.const === undefined ? (one.enum ?? []) : [one.const]));
  const known = each?.filter(isWord) ?? [];
  if (!oneOf || known.length === 0) return null;
  const isCode = BY_MEANING.includes(typeNameOf(schema));
  return known.map((word) => {
    const means = inShort(oneOf.find((one) => one.const === word)?.description ?? "");
    if (means === "") return [word, String(word)];
    return [word, isCode ? means : `${word}: ${means}`];
  });
}

/** The first part of a sentence, to follow a word: "What old devices reach: ..." */
function inShort(sentence: string): string {
  const [part = ""] = sentence.replace(/\.$/, "").split(/[:;]/);
  return /^[A-Z][a-z]/.test(part) ? part.charAt(0).toLowerCase() + part.slice(1) : part;
}
