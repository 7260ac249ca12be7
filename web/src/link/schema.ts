// The shell of a link: everything but the experiment, which the engine judges.

import * as v from "valibot";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const name = v.pipe(v.string(), v.maxLength(64));
const key = v.pipe(v.string(), v.maxLength(32));

const path = v.pipe(v.array(v.pipe(v.string(), v.maxLength(64))), v.maxLength(16));

const cursor = v.strictObject({
  /** Steps since boot. */
  step: count,
  /** Virtual time, ns. */
  time_ns: count,
  /** State hash there, 16 hex digits. */
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/, "16 hexadecimal digits are needed")),
  /** Version of the engine that was there. */
  engine: name,
});

/** Version 1 of a link. */
export const linkSchema = v.strictObject({
  v: v.literal(1),
  /** Ready-made experiment the changes start from; none when the changes hold everything. */
  preset: v.optional(name),
  changes: v.optional(
    v.pipe(
      v.array(v.union([v.strictTuple([path, v.unknown()]), v.strictTuple([path])])),
      v.maxLength(1000),
    ),
    [],
  ),
  cursor: v.optional(cursor),
  /** Task whose stack is shown. */
  followed: v.optional(count),
  /** Keys of what is selected: `zone 0/DMA32`, `task 3`, `page 4096`. */
  selected: v.optional(v.pipe(v.array(key), v.maxLength(8)), []),
  /** Zone shown in each node's free lists, by node id. */
  lists: v.optional(v.record(v.pipe(v.string(), v.regex(/^\d{1,4}$/)), key), {}),
});

/** A link's document as version 1 writes it. */
export type LinkDocument = v.InferOutput<typeof linkSchema>;
/** The cursor of a link. */
export type LinkCursor = v.InferOutput<typeof cursor>;

/** Reads a document, or says which field is wrong and why. */
export function readDocument(
  value: unknown,
): { ok: true; document: LinkDocument } | { ok: false; detail: string } {
  const result = v.safeParse(linkSchema, value, { abortEarly: true });
  if (result.success) return { ok: true, document: result.output };
  const issue = result.issues[0];
  const field = v.getDotPath(issue) ?? "the document";
  return { ok: false, detail: `${field}: ${sentence(issue.message)}` };
}

const sentence = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}.`;
