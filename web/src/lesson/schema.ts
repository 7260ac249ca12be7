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
]);

const scene = v.strictObject({ experiment: id, factor: v.string(), at: moment });

const step = v.strictObject({
  id,
  title: v.string(),
  /** What the stage shows while this is read. */
  scene: v.optional(id),
  /** The question this step is about; the stage then shows its run. */
  asks: v.optional(id),
});

const head = v.strictObject({
  title: v.string(),
  about: v.string(),
  minutes: whole,
  steps: v.array(step),
  scenes: v.record(id, scene),
});

const experiments = v.strictObject({
  machine: v.looseObject({}),
  experiments: v.record(id, v.looseObject({ title: v.string() })),
});

const answer = v.strictObject({
  id,
  label: v.string(),
  note: v.string(),
  /** A statement about the end of the run; the first that is true is the key. */
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
  /** Values of the tunable to choose from, and the one first shown. */
  factors: v.array(v.string()),
  start: v.string(),
  /** A value at which the seed decides. */
  open: v.optional(v.string()),
  answers: v.array(answer),
  /** What to look at: the first of these that comes. */
  watch: v.array(moment),
});

const claim = v.strictObject({
  /** A piece of the prose, word by word. */
  says: v.string(),
  experiment: id,
  factor: v.string(),
  /** Runs with seeds from 1 to here; 1 where there is none. */
  seeds: v.optional(whole, 1),
  at: moment,
  expect: v.array(v.string()),
  /** A piece of the engine's own sentence there. */
  why: v.optional(v.string()),
});

/** The tunable the lesson turns. */
export const TUNABLE = "vm.watermark_scale_factor";

/** One step of a lesson. */
export type LessonStep = v.InferOutput<typeof step>;
/** A moment of a run the prose points at. */
export type Scene = v.InferOutput<typeof scene>;
/** A question that a run answers. */
export type Question = v.InferOutput<typeof question>;
/** One of its answers. */
export type Answer = v.InferOutput<typeof answer>;
/** A promise of the prose. */
export type Claim = v.InferOutput<typeof claim>;

/** Everything beside the prose. */
export interface LessonData {
  readonly title: string;
  readonly about: string;
  readonly minutes: number;
  readonly steps: readonly LessonStep[];
  readonly scenes: Readonly<Record<string, Scene>>;
  readonly questions: readonly Question[];
  readonly experiments: v.InferOutput<typeof experiments>;
}

/** The files of a lesson. */
export interface LessonFiles {
  readonly head: unknown;
  readonly experiments: unknown;
  readonly questions: unknown;
}

/** Reads a lesson's files, or throws with the field that is wrong. */
export function readLesson(files: LessonFiles): LessonData {
  return {
    ...v.parse(head, files.head),
    experiments: v.parse(experiments, files.experiments),
    questions: v.parse(v.array(question), files.questions),
  };
}

/** Reads the promises. */
export const readClaims = (file: unknown): Claim[] => v.parse(v.array(claim), file);

/** One run of one of a lesson's experiments. */
export interface Run {
  readonly experiment: string;
  readonly factor: string;
  readonly seed: number;
}

/** The experiment of a run as JSON text. */
export function experimentText({ experiments: data }: LessonData, run: Run): string {
  const experiment = data.experiments[run.experiment];
  if (!experiment) throw new Error(`the lesson has no experiment ${run.experiment}`);
  const tunables = { [TUNABLE]: run.factor };
  return JSON.stringify({ id: "", machine: data.machine, ...experiment, tunables, seed: run.seed });
}

/** What to measure to know where a run comes to some moments. */
export const measureOf = (lesson: LessonData, run: Run, moments: readonly Moment[]): Measure => ({
  experiment: experimentText(lesson, run),
  moments,
});
