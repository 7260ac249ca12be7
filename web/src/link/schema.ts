// The schema of a link, except for the experiment, which the engine checks.

import * as v from "valibot";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const name = v.pipe(v.string(), v.maxLength(64));
const key = v.pipe(v.string(), v.maxLength(32));

const path = v.pipe(v.array(v.pipe(v.string(), v.maxLength(64))), v.maxLength(16));

const moment = {
  /** Steps since boot. */
  step: count,
  /** Virtual time, ns. */
  time_ns: count,
  /** State hash at that moment, 16 hex digits. */
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/, "16 hexadecimal digits are needed")),
  /** Version of the engine that wrote the link. */
  engine: name,
};

const cursor = v.strictObject(moment);

/** The result of the run up to this moment, which anyone who repeats the run must also get. */
const result = v.strictObject({
  ...moment,
  /** The build of the engine's module; absent in a result of the command line. */
  build: v.optional(name),
  /** The run has ended there. */
  ended: v.boolean(),
  /** Chosen figures: counters of /proc/vmstat and metrics of a report, by name. */
  figures: v.optional(
    v.pipe(v.array(v.strictTuple([name, v.pipe(v.number(), v.finite())])), v.maxLength(32)),
    [],
  ),
});

const changes = v.pipe(
  v.array(v.union([v.strictTuple([path, v.unknown()]), v.strictTuple([path])])),
  v.maxLength(1000),
);

/** The condition of a breakpoint, in the kernel's names; see `debugger/watch`. */
const watch = v.variant("kind", [
  v.strictObject({ kind: v.literal("function"), name }),
  v.strictObject({ kind: v.literal("line"), name, line: count }),
  v.strictObject({ kind: v.literal("event"), name }),
  v.strictObject({ kind: v.literal("counter"), name }),
  v.strictObject({ kind: v.literal("free"), zone: key }),
  v.strictObject({
    kind: v.literal("mark"),
    zone: key,
    mark: v.picklist(["min", "low", "high"]),
  }),
  v.strictObject({
    kind: v.literal("page"),
    pfn: count,
    part: v.picklist(["state", "flags", "owner", "list", "any"]),
  }),
  v.strictObject({ kind: v.literal("task"), task: count }),
  v.strictObject({ kind: v.literal("kswapd"), node: count }),
]);

const breakpoint = v.strictObject({
  watch,
  condition: v.optional(
    v.strictObject({
      field: name,
      is: v.picklist(["=", "≠", "<", "≥"]),
      with: name,
    }),
  ),
  /** The breakpoint is switched off. */
  off: v.optional(v.literal(true)),
});

/** A bookmark. */
const bookmark = v.strictObject({
  step: count,
  /** Virtual time, ns. */
  time_ns: count,
  note: v.optional(v.pipe(v.string(), v.maxLength(500)), ""),
});

/** The layout of the page around the machine; missing fields keep their initial value. */
const view = v.strictObject({
  /** Free lists are shown instead of LRU lists. */
  face: v.optional(v.literal("free")),
  /** Pageblocks are shown instead of LRU lists. */
  blocks: v.optional(v.literal(true)),
  /** The CPUs are shown instead of the line of tasks. */
  cpus: v.optional(v.literal(true)),
  /** The processes by node are shown instead of the line of tasks. */
  processes: v.optional(v.literal(true)),
  /** What the lower half of the debugger shows. */
  tab: v.optional(v.picklist(["explain", "stops", "values"])),
  /** The timeline was folded, or unfolded, by hand. */
  folded: v.optional(v.boolean()),
  /** The event log was open, with this filter. */
  log: v.optional(
    v.strictObject({
      search: v.optional(v.pipe(v.string(), v.maxLength(200)), ""),
      events: v.optional(v.pipe(v.array(name), v.maxLength(64)), []),
      /** Decisions were listed together with the events, or alone. */
      decisions: v.optional(v.picklist(["too", "only"])),
      task: v.optional(count),
      zone: v.optional(key),
      pages: v.optional(v.strictTuple([count, count])),
    }),
  ),
  /** Counters drawn over time, by name. */
  tracks: v.optional(v.pipe(v.array(name), v.maxLength(8)), []),
  /** The range of time selected on the timeline, ns. */
  range: v.optional(v.strictTuple([count, count])),
  /** The range of time that the timeline shows, ns. */
  window: v.optional(v.strictTuple([count, count])),
  /** The zoom of each node's page map, by node id. */
  zoom: v.optional(
    v.record(
      v.pipe(v.string(), v.regex(/^\d{1,4}$/)),
      v.strictObject({ level: v.picklist(["zone", "block", "page"]), pfn: count }),
    ),
    {},
  ),
});

/** The newest version of a link; older ones are upgraded to it first. */
export const linkSchema = v.strictObject({
  v: v.literal(6),
  /** The user's title of this moment. The note explains it. */
  title: v.optional(v.pipe(v.string(), v.maxLength(120)), ""),
  note: v.optional(v.pipe(v.string(), v.maxLength(2000)), ""),
  /** The ready-made experiment to which the changes apply; absent if they contain everything. */
  preset: v.optional(name),
  changes: v.optional(changes, []),
  cursor: v.optional(cursor),
  result: v.optional(result),
  /** The task whose stack is shown. */
  followed: v.optional(count),
  /** Keys of selected items: `zone 0/DMA32`, `task 3`, `page 4096`, `fn rmqueue`, or an event's
      key. A page drops keys that it does not know. */
  selected: v.optional(v.pipe(v.array(key), v.maxLength(8)), []),
  /** Zone shown in each node's free lists, by node id. */
  lists: v.optional(v.record(v.pipe(v.string(), v.regex(/^\d{1,4}$/)), key), {}),
  /** The breakpoints at which playback and searches stop. */
  breakpoints: v.optional(v.pipe(v.array(breakpoint), v.maxLength(32)), []),
  /** Bookmarks. */
  bookmarks: v.optional(v.pipe(v.array(bookmark), v.maxLength(64)), []),
  view: v.optional(view, {}),
});

/** The document of a link, as the newest version writes it. */
export type LinkDocument = v.InferOutput<typeof linkSchema>;
/** A breakpoint of a link. */
export type LinkBreakpoint = v.InferOutput<typeof breakpoint>;
/** A bookmark of a link. */
export type LinkBookmark = v.InferOutput<typeof bookmark>;
/** The view of a link. */
export type LinkView = v.InferOutput<typeof view>;
/** The cursor of a link. */
export type LinkCursor = v.InferOutput<typeof cursor>;
/** The result of a run in a link. */
export type LinkResult = v.InferOutput<typeof result>;
/** A document that was read, or the wrong field (`breakpoints[0].watch`) and the reason. */
export type ReadDocument =
  | { readonly ok: true; readonly document: LinkDocument }
  | { readonly ok: false; readonly path: string; readonly reason: string };

/** Reads a document, or returns the wrong field and the reason. */
export function readDocument(value: unknown): ReadDocument {
  const result = v.safeParse(linkSchema, value, { abortEarly: true });
  if (result.success) return { ok: true, document: result.output };
  const issue = result.issues[0];
  return { ok: false, path: pathOf(issue.path ?? []), reason: sentence(issue.message) };
}

const pathOf = (path: readonly { readonly key?: unknown }[]): string =>
  path.reduce((all, { key: part }) => {
    if (typeof part === "number") return `${all}[${part}]`;
    return all === "" ? String(part) : `${all}.${String(part)}`;
  }, "");

const sentence = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}.`;
