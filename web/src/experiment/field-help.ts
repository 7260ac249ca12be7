// The documentation of the field at a position in an experiment's text, from the engine's types.

import { findNodeAtLocation, getLocation, type JSONPath, type Node, parseTree } from "jsonc-parser";
import { count } from "../engine/format";
import { EXPERIMENT, type Schema, whole } from "../engine/schema";
import { isTooDeep } from "../link/json-positions";
import { pathText } from "./forms/tree";
import { FIELD_HELP } from "./words";

/** The explanation of a field. */
export interface FieldHelp {
  /** Its path, in the engine's notation. */
  readonly path: string;
  /** The kind of its value and its limits: "whole number; KiB; 1,024 to 4,096". */
  readonly kind: string;
  /** The meaning of the field; empty if the types do not describe it. */
  readonly about: string;
}

/** The field at an offset in a text; null if there is no field of an experiment. */
export function helpAt(text: string, offset: number): FieldHelp | null {
  if (isTooDeep(text)) return null;
  const { path } = getLocation(text, offset);
  // An empty name is not a field yet.
  const named = path.filter((part) => part !== "");
  if (named.length === 0) return null;
  const found = fieldAt(parseTree(text), named);
  if (!found) return null;
  const { description = "" } = whole(found);
  return { path: pathText(named), kind: kindWords(found), about: description };
}

/** The schema at a path, which depends on the surrounding text. */
function fieldAt(text: Node | undefined, path: JSONPath): Schema | null {
  let here: Schema = EXPERIMENT;
  for (const [i, part] of path.entries()) {
    const around = text && findNodeAtLocation(text, path.slice(0, i));
    const inside = partOf(here, part, around);
    if (!inside) return null;
    here = inside;
  }
  return here;
}

function partOf(schema: Schema, part: string | number, around: Node | undefined): Schema | null {
  const { items, properties, anyOf, oneOf } = whole(schema);
  if (typeof part === "number") return items ?? null;
  const own = properties?.[part];
  if (own) return own;
  const op = around && findNodeAtLocation(around, ["op"])?.value;
  const kinds = [...(anyOf ?? []), ...(oneOf ?? [])].map(whole).filter(
    // While the operation is not written yet, the fields of all operations are offered.
    (kind) => !kind.properties?.op || op === undefined || kind.properties.op.const === op,
  );
  if (part === "op" && oneOf) return operations(oneOf, op);
  const found = kinds.find((kind) => kind.properties?.[part]);
  return found?.properties?.[part] ?? null;
}

/** The operations that exist, and the meaning of the one in the text. */
function operations(steps: readonly Schema[], op: unknown): Schema {
  const written = steps.find(({ properties }) => properties?.op?.const === op);
  return {
    type: "string",
    enum: steps.map(({ properties }) => properties?.op?.const),
    description: written?.description,
  };
}

function kindWords(schema: Schema): string {
  const { "x-unit": unit, "x-left-out": words, default: usual } = schema;
  const left = words ?? (usual === undefined ? undefined : String(usual));
  const parts = [typeWords(schema), unit, limitWords(whole(schema))];
  return [...parts, left && `default: ${left}`].filter(Boolean).join("; ");
}

const TYPES: Readonly<Record<string, string>> = {
  integer: "whole number",
  string: "text",
  boolean: FIELD_HELP.trueOrFalse,
  array: "list",
  object: "object",
};

/** "text or whole number", "one of always, never". */
function typeWords(schema: Schema): string {
  const { type, anyOf, oneOf, enum: listed } = whole(schema);
  const words = listed ?? oneOf?.flatMap((each) => each.const ?? each.enum ?? []) ?? [];
  if (words.length > 0) return `one of ${words.join(", ")}`;
  const kinds = anyOf?.map(typeWords) ?? [type ?? "object"].flat().map((one) => TYPES[one] ?? one);
  return [...new Set(kinds)].join(" or ");
}

function limitWords({ enum: listed, examples = [], ...limits }: Schema): string {
  if (listed) return "";
  if (examples.length > 1) return examples.join(", ");
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = limits;
  return (
    between(minimum, maximum, "") ||
    between(minLength, maxLength, " characters") ||
    between(minItems, maxItems, " items")
  );
}

function between(least: number | undefined, most: number | undefined, of: string): string {
  if (most !== undefined) return FIELD_HELP.limits(least ?? 0, most, of);
  return least ? `at least ${count(least)}${of}` : "";
}
