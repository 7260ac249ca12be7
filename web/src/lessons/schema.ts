// Schemas of a lesson's JSON files, which are checked once when the lesson is loaded.

import * as v from "valibot";
import type { Measure, Moment } from "../engine/measure";

const id = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]*$/));
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const moment = v.variant("kind", [
  v.strictObject({ kind: v.literal("start") }),
  v.strictObject({ kind: v.literal("end") }),
  v.strictObject({ kind: v.literal("time"), us: whole }),
  v.strictObject({
    kind: v.literal("counter"),
    name: v.string(),
    reaches: whole,
    from: v.optional(v.literal("refusal")),
  }),
  v.strictObject({ kind: v.literal("woken"), node: whole, times: whole }),
  v.strictObject({ kind: v.literal("finished"), node: whole, times: whole }),
  v.strictObject({
    kind: v.literal("line"),
    function: v.string(),
    line: v.string(),
    times: whole,
    after: v.optional(whole),
  }),
]);

const knob = v.strictObject({
  /**
   * The setting that it changes: "kernel", "patches" (ids separated by spaces, "none", or "kept"
   * for those that other knobs have added), "patch ID" ("in" or "out"), "experiment", "blank NAME",
   * or the name of a tunable.
   */
  turns: v.string(),
  /** The text shown before a value: "factor 10". */
  word: v.string(),
  /** Names of values that the page shows instead of the values. */
  names: v.optional(v.record(v.string(), v.string()), {}),
});

/** Values of knobs; other settings are those of the experiment. */
const set = v.record(id, v.string());

const scene = v.strictObject({ experiment: id, set, at: moment });

const step = v.strictObject({
  id,
  title: v.string(),
  /** The scene on the stage while this step is read. */
  scene: v.optional(id),
  /** The question of this step; the stage then shows its run. */
  asks: v.optional(id),
});

/** The position of a lesson in the course. */
const course = v.strictObject({
  /** The three parts of the course, in reading order. */
  part: v.picklist(["basics", "mechanisms", "series"]),
  /** The position within the part, from 1. */
  place: v.pipe(whole, v.minValue(1)),
  /** The audience, in one sentence. */
  audience: v.string(),
  /** The goals: each completes the sentence "After this lesson you can ...". */
  goals: v.pipe(v.array(v.string()), v.minLength(1)),
  /** The lessons on which it builds, by id; empty if it needs none. */
  builds_on: v.array(id),
});

const head = v.strictObject({
  title: v.string(),
  about: v.string(),
  minutes: whole,
  /** Missing for a lesson outside the course, such as a reader's own. */
  course: v.optional(course),
  /** The knobs that a reader can turn. */
  knobs: v.record(id, knob),
  /** Counters under the stage, by name, with their meaning in this lesson. */
  counters: v.array(v.tuple([v.string(), v.string()])),
  /** Index of the stage's playback speed, if it differs from the usual one. */
  pace: v.optional(whole),
  /**
   * What the stage shows instead of the LRU lists: wait queues of reclaimers, pageblocks and
   * compaction, free lists of the buddy allocator, or memory use by node with CPUs above the nodes.
   * "zones" shows neither lists nor page maps, so that all nodes are visible.
   */
  stage: v.optional(v.picklist(["waits", "compaction", "free", "nodes", "zones"])),
  /** The lesson's file of published figures in `lessons/figures`. */
  figures: v.optional(id),
  steps: v.array(step),
  scenes: v.record(id, scene),
});

const ownMachine = v.looseObject({ nodes: v.array(v.looseObject({ ranges: v.array(v.any()) })) });

const experiments = v.strictObject({
  /** The machine of every experiment without its own: an id, or a whole machine. */
  machine: v.union([v.string(), ownMachine]),
  experiments: v.record(
    id,
    v.looseObject({
      title: v.string(),
      /**
       * Blanks that knobs fill, by name, each with its default. The text "$every" marks the blank
       * "every".
       */
      blanks: v.optional(v.record(id, v.string()), {}),
    }),
  ),
});

const answer = v.strictObject({
  id,
  label: v.string(),
  note: v.string(),
  /**
   * A statement about the question's moment, by default the end of the run. The first answer with a
   * true statement is the right one.
   */
  if: v.string(),
  /** The explanation by the run if this is the right answer, with places for numbers. */
  because: v.string(),
});

const question = v.strictObject({
  id,
  experiment: id,
  ask: v.string(),
  /** The scene on the stage before the answer. */
  scene: moment,
  /** The knob, its possible values, and the first one shown. */
  knob: id,
  values: v.array(v.string()),
  start: v.string(),
  /** Knobs that do not change. */
  set: v.optional(set, {}),
  /** A value for which the outcome depends on the seed. */
  open: v.optional(v.string()),
  /** The moment that the question is about; default: the end of the run. */
  at: v.optional(moment),
  /** Words for counting runs with the first answer: "3 of 20 stall". */
  tally: v.optional(v.string(), ""),
  answers: v.array(answer),
  /** The moment to show: the first of these that occurs. */
  watch: v.array(moment),
});

const build = v.strictObject({
  id,
  experiment: id,
  ask: v.string(),
  /** The knobs that the reader turns, each with its values and the first one shown. */
  parts: v.array(v.strictObject({ knob: id, values: v.array(v.string()), start: v.string() })),
  /** Each attempt runs once with each of these values. */
  compare: v.strictObject({ knob: id, values: v.array(v.string()) }),
  /**
   * The goal is met if these statements are true at the ends of the runs: "3.0:allocstall > 2 *
   * 6.1:allocstall".
   */
  goal: v.pipe(
    v.union([v.string(), v.array(v.string())]),
    v.transform((goal) => (typeof goal === "string" ? [goal] : goal)),
  ),
  /** Numbers shown for each run, with their names. */
  rows: v.array(v.tuple([v.string(), v.string()])),
  /** The explanation of an attempt: the first one with a true statement. */
  says: v.array(v.strictObject({ if: v.string(), because: v.string() })),
  /** The moment of the first run to watch: the first of these that occurs. */
  watch: v.array(moment),
});

const promise = v.strictObject({
  /** A quotation of the prose, word by word. */
  says: v.string(),
  experiment: id,
  set,
  /** Runs with seeds from 1 to this number; default: 1. */
  seeds: v.optional(whole, 1),
  at: moment,
  expect: v.array(v.string()),
  /** A part of the engine's own sentence at that moment. */
  why: v.optional(v.string()),
  /** A moment that must not occur. */
  never: v.optional(moment),
});

/** A quotation of the prose that repeats published figures, with their row. */
const quotation = v.strictObject({
  says: v.string(),
  published: v.strictObject({
    table: id,
    metric: v.string(),
    values: v.array(v.number()),
  }),
});

const histogram = v.array(v.strictObject({ delayed_us: whole, count: whole }));

/**
 * How long reclaimers waited: for the baseline by two trace events, for the patched kernel by
 * reason.
 */
const delays = v.strictObject({
  source: v.string(),
  vanilla: v.strictObject({
    wait_iff_congested: histogram,
    congestion_wait: histogram,
    timeout_us: whole,
  }),
  direct: v.strictObject({
    stalls: v.record(v.string(), whole),
    breakdown: v.array(v.strictObject({ reason: v.string(), timeout_us: whole, histogram })),
  }),
});

const figures = v.strictObject({
  about: v.string(),
  note: v.optional(v.string()),
  delays: v.optional(delays),
  tables: v.array(
    v.strictObject({
      id,
      source: v.string(),
      title: v.string(),
      machine: v.string(),
      /** Null if the source does not describe it. */
      workload: v.nullable(v.string()),
      note: v.optional(v.string()),
      /** A description of the workload that is run instead of the published one. */
      simulated: v.optional(v.string()),
      /** The experiment, if its id is not the table's: several tables may have the same run. */
      experiment: v.optional(id),
      /** The number of seeds of the table's committed runs; default: one. */
      seeds: v.optional(whole),
      kernels: v.array(v.string()),
      rows: v.array(
        v.strictObject({
          metric: v.string(),
          unit: v.string(),
          better: v.picklist(["higher", "lower", "none"]),
          values: v.array(v.number()),
          /** The experiment of this row only. */
          experiment: v.optional(id),
          /**
           * Why the row is shown but not scored: a value of the experiment was inferred from it.
           */
          unscored: v.optional(v.string()),
          /**
           * The rules for counting the row, beginning with the source's rule, each with the metric
           * of a run.
           */
          counted: v.optional(v.array(v.strictObject({ by: v.string(), metric: v.string() }))),
        }),
      ),
    }),
  ),
});

/** A setting that a reader can turn. */
export type Knob = v.InferOutput<typeof knob>;
/** Values of knobs, by their ids. */
export type Setting = v.InferOutput<typeof set>;
/** A task to build something that meets a condition. */
export type Build = v.InferOutput<typeof build>;
/** A quotation of the prose that repeats published figures. */
export type Quotation = v.InferOutput<typeof quotation>;
/** Published tables. */
export type Figures = v.InferOutput<typeof figures>;
/** One published table. */
export type PublishedTable = Figures["tables"][number];

/** The position of a lesson in the course. */
export type Course = v.InferOutput<typeof course>;
/** One step of a lesson. */
export type LessonStep = v.InferOutput<typeof step>;
/** A moment of a run to which the prose refers. */
export type Scene = v.InferOutput<typeof scene>;
/** A question that a run answers. */
export type Question = v.InferOutput<typeof question>;
/** One of its answers. */
export type Answer = v.InferOutput<typeof answer>;
/** A claim of the prose, which tests check. */
export type Claim = v.InferOutput<typeof promise>;

/** All data of a lesson, without the prose. */
export interface LessonData extends v.InferOutput<typeof head> {
  readonly questions: readonly Question[];
  readonly builds: readonly Build[];
  readonly experiments: v.InferOutput<typeof experiments>;
  readonly published: Figures | null;
}

/** The files of a lesson; the last two are optional. */
export interface LessonFiles {
  readonly head: unknown;
  readonly experiments: unknown;
  readonly questions: unknown;
  readonly builds?: unknown;
  readonly figures?: unknown;
}

/** The name of a lesson's file of figures; undefined if it has none. */
export const figuresOf = (file: unknown): string | undefined => v.parse(head, file).figures;

/** Reads a lesson's files, or throws and names the faulty field. */
export function readLesson(files: LessonFiles): LessonData {
  return {
    ...v.parse(head, files.head),
    experiments: v.parse(experiments, files.experiments),
    questions: v.parse(v.array(question), files.questions),
    builds: v.parse(v.array(build), files.builds ?? []),
    published: files.figures === undefined ? null : v.parse(figures, files.figures),
  };
}

/** Reads a file of published figures, or throws and names the faulty field. */
export const readFigures = (file: unknown): Figures => v.parse(figures, file);

/** Claims and quotations. Their fields distinguish them, so that error messages fit. */
const promises = v.array(
  v.lazy((each) =>
    typeof each === "object" && each !== null && "published" in each ? quotation : promise,
  ),
);

/** Reads claims and quotations, in the order of their file. */
export const readPromises = (file: unknown): (Claim | Quotation)[] => v.parse(promises, file);

/** Is it a claim about a run? */
export const isClaim = (each: Claim | Quotation): each is Claim => !isQuotation(each);

/** Is it a quotation of published figures? */
export const isQuotation = (each: Claim | Quotation): each is Quotation => "published" in each;

/** The files of a lesson's folder besides the prose; the last one is optional. */
export const FILE_SCHEMAS = {
  "lesson.json": head,
  "experiments.json": experiments,
  "questions.json": v.array(question),
  "claims.json": promises,
  "builds.json": v.array(build),
} as const;

/** One run of one of a lesson's experiments. */
export interface Run {
  readonly experiment: string;
  readonly set: Setting;
  readonly seed: number;
}

/** A knob of a lesson. */
export function knobOf({ knobs }: Pick<LessonData, "knobs">, id: string): Knob {
  const found = knobs[id];
  if (!found) throw new Error(`the lesson has no knob ${id}`);
  return found;
}

/** The name of a knob's value. */
export const valueName = ({ names }: Knob, value: string): string => names[value] ?? value;

/** The experiment of a run as JSON text. */
export function experimentText(lesson: LessonData, run: Run): string {
  const { machine, experiments: all } = lesson.experiments;
  const turned = Object.entries(run.set).map(([id, value]) => [knobOf(lesson, id), value] as const);
  const [, id = run.experiment] = turned.find(([{ turns }]) => turns === "experiment") ?? [];
  const found = all[id];
  if (!found) throw new Error(`the lesson has no experiment ${id}`);
  const { blanks, ...rest } = found;
  const values: Record<string, string> = { ...blanks };
  for (const [{ turns }, value] of turned) {
    const name = blankOf(turns);
    if (name !== null) values[name] = value;
  }
  const filled = fill(rest, values) as object;
  let text: Record<string, unknown> = { id: "", machine, ...filled, seed: run.seed };
  for (const [{ turns }, value] of turned) text = { ...text, ...turn(text, turns, value) };
  return JSON.stringify(text);
}

/** The blank that a knob fills; null if it changes something else. */
export const blankOf = (turns: string): string | null => /^blank (.+)$/.exec(turns)?.[1] ?? null;

/** The blank that a text marks; null for other texts. */
export const blankAt = (text: unknown): string | null =>
  typeof text === "string" ? (/^\$([a-z][a-z0-9-]*)$/.exec(text)?.[1] ?? null) : null;

/** An experiment with its blanks replaced by values; numeric text becomes a number. */
function fill(part: unknown, values: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(part)) return part.map((each) => fill(each, values));
  if (typeof part === "object" && part !== null) {
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, fill(each, values)]));
  }
  const name = blankAt(part);
  if (name === null) return part;
  const value = values[name];
  if (value === undefined) throw new Error(`the experiment has no blank ${name}`);
  return /^\d+$/.test(value) ? Number(value) : value;
}

/** Changes the field of an experiment that a knob controls. */
function turn(
  { tunables, patches }: Record<string, unknown>,
  turns: string,
  value: string,
): Record<string, unknown> {
  if (turns === "experiment" || blankOf(turns) !== null) return {};
  if (turns === "kernel") return { kernel: value };
  if (turns === "patches") {
    if (value === "kept") return {};
    return { patches: value === "none" ? [] : value.split(" ") };
  }
  const [, patch] = /^patch (.+)$/.exec(turns) ?? [];
  if (patch !== undefined) {
    return value === "in" ? { patches: [...((patches as string[] | undefined) ?? []), patch] } : {};
  }
  return { tunables: { ...(tunables as object | undefined), [turns]: value } };
}

/** The measurement that shows when a run reaches some moments. */
export const measureOf = (lesson: LessonData, run: Run, moments: readonly Moment[]): Measure => ({
  experiment: experimentText(lesson, run),
  moments,
});
