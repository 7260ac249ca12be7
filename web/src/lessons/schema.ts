// The data beside a lesson's prose, as files hold it: judged once, when the lesson is loaded.

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
  /** What it turns: "kernel", "patches" (ids with spaces between, "none", or "kept" for those the other
   * knobs have put in), "patch ID" ("in" or "out"), "experiment", "blank NAME", or a tunable by its
   * name. */
  turns: v.string(),
  /** What a value of it is called: "factor 10". */
  word: v.string(),
  /** What to call a value instead of itself. */
  names: v.optional(v.record(v.string(), v.string()), {}),
});

/** Values of knobs; what is not named is as the experiment has it. */
const set = v.record(id, v.string());

const scene = v.strictObject({ experiment: id, set, at: moment });

const step = v.strictObject({
  id,
  title: v.string(),
  /** What the stage shows while this is read. */
  scene: v.optional(id),
  /** The question this step is about; the stage then shows its run. */
  asks: v.optional(id),
});

/** Where a lesson stands in the course. */
const course = v.strictObject({
  /** The three parts of the course, in the order in which they are read. */
  part: v.picklist(["basics", "mechanisms", "series"]),
  /** Its place within the part, from 1. */
  place: v.pipe(whole, v.minValue(1)),
  /** For whom it is: one sentence. */
  audience: v.string(),
  /** What a reader can do afterwards: each completes "After this lesson you can ...". */
  goals: v.pipe(v.array(v.string()), v.minLength(1)),
  /** The lessons it builds on, by id; empty where it needs none. */
  builds_on: v.array(id),
});

const head = v.strictObject({
  title: v.string(),
  about: v.string(),
  minutes: whole,
  /** Absent for a lesson that belongs to no course, such as a reader's own. */
  course: v.optional(course),
  /** What a reader can turn. */
  knobs: v.record(id, knob),
  /** Counters under the stage, by name, with what they mean here. */
  counters: v.array(v.tuple([v.string(), v.string()])),
  /** Index of the speed the stage plays at, where it is another than a lesson's usual one. */
  pace: v.optional(whole),
  /** What its stage shows in the place of the LRU lists: the queues of who waits in reclaim,
   * pageblocks and their compaction, the buddy allocator's free lists, or above the nodes whose memory
   * is used from where, and CPUs. With "zones" it shows neither lists nor page maps, so that all nodes
   * are in sight. */
  stage: v.optional(v.picklist(["waits", "compaction", "free", "nodes", "zones"])),
  /** The file of published figures it shows, in `lessons/figures`. */
  figures: v.optional(id),
  steps: v.array(step),
  scenes: v.record(id, scene),
});

const ownMachine = v.looseObject({ nodes: v.array(v.looseObject({ ranges: v.array(v.any()) })) });

const experiments = v.strictObject({
  /** Of every experiment that has none of its own: an id, or a whole machine. */
  machine: v.union([v.string(), ownMachine]),
  experiments: v.record(
    id,
    v.looseObject({
      title: v.string(),
      /** Places that knobs fill, by name, with what stands there when none does: the text "$every"
       * is the place of the blank "every". */
      blanks: v.optional(v.record(id, v.string()), {}),
    }),
  ),
});

const answer = v.strictObject({
  id,
  label: v.string(),
  note: v.string(),
  /** A statement about the end of the run, or the moment asked about; the first that is true is the
   * key. */
  if: v.string(),
  /** What is said of the run when this is the key, with places for its numbers. */
  because: v.string(),
});

const question = v.strictObject({
  id,
  experiment: id,
  ask: v.string(),
  /** What the stage shows before the answer. */
  scene: moment,
  /** What can be turned, the values to choose from, and the one first shown. */
  knob: id,
  values: v.array(v.string()),
  start: v.string(),
  /** Knobs that stand still. */
  set: v.optional(set, {}),
  /** A value at which the seed decides. */
  open: v.optional(v.string()),
  /** The moment it is about, where that is not the end of the run. */
  at: v.optional(moment),
  /** What runs with the first answer do, where many are counted: "3 of 20 stall". */
  tally: v.optional(v.string(), ""),
  answers: v.array(answer),
  /** What to look at: the first of these that comes. */
  watch: v.array(moment),
});

const build = v.strictObject({
  id,
  experiment: id,
  ask: v.string(),
  /** What the reader turns, each with its values and the one first shown. */
  parts: v.array(v.strictObject({ knob: id, values: v.array(v.string()), start: v.string() })),
  /** Each try runs once with each of these values. */
  compare: v.strictObject({ knob: id, values: v.array(v.string()) }),
  /** Met when all of this is true of the ends of the runs: "3.0:allocstall > 2 * 6.1:allocstall". */
  goal: v.pipe(
    v.union([v.string(), v.array(v.string())]),
    v.transform((goal) => (typeof goal === "string" ? [goal] : goal)),
  ),
  /** Numbers shown of each run, with their names. */
  rows: v.array(v.tuple([v.string(), v.string()])),
  /** What a try has to say: the first that is true. */
  says: v.array(v.strictObject({ if: v.string(), because: v.string() })),
  /** What to look at in the first run: the first of these that comes. */
  watch: v.array(moment),
});

const promise = v.strictObject({
  /** A piece of the prose, word by word. */
  says: v.string(),
  experiment: id,
  set,
  /** Runs with seeds from 1 to here; 1 where there is none. */
  seeds: v.optional(whole, 1),
  at: moment,
  expect: v.array(v.string()),
  /** A piece of the engine's own sentence there. */
  why: v.optional(v.string()),
  /** A moment that must not come. */
  never: v.optional(moment),
});

/** A piece of the prose that repeats published figures, with the row it repeats. */
const quotation = v.strictObject({
  says: v.string(),
  published: v.strictObject({
    table: id,
    metric: v.string(),
    values: v.array(v.number()),
  }),
});

const histogram = v.array(v.strictObject({ delayed_us: whole, count: whole }));

/** How long reclaimers waited: of the baseline as its two events told, of the patched kernel by reason. */
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
      /** Null where the source does not tell it. */
      workload: v.nullable(v.string()),
      note: v.optional(v.string()),
      /** What is run in the place of something that was published: not the source's words. */
      simulated: v.optional(v.string()),
      /** Where it is not the table's id: several tables may be of one run. */
      experiment: v.optional(id),
      /** With how many seeds its committed runs are made; with one where it does not say. */
      seeds: v.optional(whole),
      kernels: v.array(v.string()),
      rows: v.array(
        v.strictObject({
          metric: v.string(),
          unit: v.string(),
          better: v.picklist(["higher", "lower", "none"]),
          values: v.array(v.number()),
          /** Of this row alone. */
          experiment: v.optional(id),
          /** Why it is shown and not scored: what the experiment is made of was inferred from it. */
          unscored: v.optional(v.string()),
          /** By which rules it can be counted, the source's first, and the rows of a run that are. */
          counted: v.optional(v.array(v.strictObject({ by: v.string(), metric: v.string() }))),
        }),
      ),
    }),
  ),
});

/** Something a reader can turn. */
export type Knob = v.InferOutput<typeof knob>;
/** Values of knobs, by their ids. */
export type Setting = v.InferOutput<typeof set>;
/** Something to be built so that a condition is met. */
export type Build = v.InferOutput<typeof build>;
/** A piece of the prose that repeats published figures. */
export type Quotation = v.InferOutput<typeof quotation>;
/** Published tables. */
export type Figures = v.InferOutput<typeof figures>;
/** One of them. */
export type PublishedTable = Figures["tables"][number];

/** Where a lesson stands in the course. */
export type Course = v.InferOutput<typeof course>;
/** One step of a lesson. */
export type LessonStep = v.InferOutput<typeof step>;
/** A moment of a run the prose points at. */
export type Scene = v.InferOutput<typeof scene>;
/** A question that a run answers. */
export type Question = v.InferOutput<typeof question>;
/** One of its answers. */
export type Answer = v.InferOutput<typeof answer>;
/** A promise of the prose. */
export type Claim = v.InferOutput<typeof promise>;

/** Everything beside the prose. */
export interface LessonData extends v.InferOutput<typeof head> {
  readonly questions: readonly Question[];
  readonly builds: readonly Build[];
  readonly experiments: v.InferOutput<typeof experiments>;
  readonly published: Figures | null;
}

/** The files of a lesson; the last two are there where they are needed. */
export interface LessonFiles {
  readonly head: unknown;
  readonly experiments: unknown;
  readonly questions: unknown;
  readonly builds?: unknown;
  readonly figures?: unknown;
}

/** The name of the file of figures a lesson shows; none where it shows none. */
export const figuresOf = (file: unknown): string | undefined => v.parse(head, file).figures;

/** Reads a lesson's files, or throws with the field that is wrong. */
export function readLesson(files: LessonFiles): LessonData {
  return {
    ...v.parse(head, files.head),
    experiments: v.parse(experiments, files.experiments),
    questions: v.parse(v.array(question), files.questions),
    builds: v.parse(v.array(build), files.builds ?? []),
    published: files.figures === undefined ? null : v.parse(figures, files.figures),
  };
}

/** Reads a file of published figures, or throws with the field that is wrong. */
export const readFigures = (file: unknown): Figures => v.parse(figures, file);

/** Promises and quotations; which of them one is shows in its fields, so that faults are about it. */
const promises = v.array(
  v.lazy((each) =>
    typeof each === "object" && each !== null && "published" in each ? quotation : promise,
  ),
);

/** Reads the promises, and what is quoted, in the order of their file. */
export const readPromises = (file: unknown): (Claim | Quotation)[] => v.parse(promises, file);

/** Is it a promise? */
export const isClaim = (each: Claim | Quotation): each is Claim => !isQuotation(each);

/** Is it quoted from what was published? */
export const isQuotation = (each: Claim | Quotation): each is Quotation => "published" in each;

/** The files of a lesson's folder beside its prose; the last is there where it is needed. */
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

/** What a value of a knob is called. */
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

/** The blank a knob fills; none where it turns something else. */
export const blankOf = (turns: string): string | null => /^blank (.+)$/.exec(turns)?.[1] ?? null;

/** The blank a text of an experiment is the place of; none where it is another text. */
export const blankAt = (text: unknown): string | null =>
  typeof text === "string" ? (/^\$([a-z][a-z0-9-]*)$/.exec(text)?.[1] ?? null) : null;

/** An experiment with values in the place of its blanks; what reads as a number is one. */
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

/** The field of an experiment that a knob changes, changed. */
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

/** What to measure to know where a run comes to some moments. */
export const measureOf = (lesson: LessonData, run: Run, moments: readonly Moment[]): Measure => ({
  experiment: experimentText(lesson, run),
  moments,
});
