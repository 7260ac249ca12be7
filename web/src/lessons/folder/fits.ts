// Checks whether the files of a lesson fit together: everything that a file names must exist.

import { keyMomentOf } from "../mark";
import { namesIn, parseStatement } from "../readings";
import {
  blankAt,
  blankOf,
  type Claim,
  isClaim,
  type LessonData,
  type Question,
  type Quotation,
  type Setting,
} from "../schema";
import { PROSE_FILE } from "./fault";
import { elementsIn, type ProseElement, type ProseNode } from "./prose";
import { FITS } from "./words";

/** Reports an error: the file, a line or the path of a field, and the reason. */
export type Blame = (file: string, at: string | number | null, reason: string) => void;

interface LessonFiles {
  readonly data: LessonData;
  readonly promises: readonly (Claim | Quotation)[];
  readonly tree: readonly ProseNode[];
}

/** Reports everything that does not fit. */
export function fitFaults(files: LessonFiles, prose: string, blame: Blame): void {
  proseFaults(files, blame);
  secretFaults(files, blame);
  dataFaults(files, blame);
  blankFaults(files, blame);
  // The check for premature answers needs statements that can all be parsed.
  if (statementFaults(files, blame)) quoteFaults(files, prose, blame);
}

/** A text with line breaks turned into spaces. */
const flat = (text: string) => text.replace(/\s+/g, " ");

const listed = (names: readonly string[]) => names.join(", ") || "nothing";

/**
 * Steps, questions and builds must be the same in the prose and in their files, in the same order.
 */
function proseFaults({ data, tree }: LessonFiles, blame: Blame) {
  const orders = [
    ["Step", data.steps, "lesson.json", "steps"],
    ["Ask", data.questions, "questions.json", "questions"],
    ["Construct", data.builds, "builds.json", "builds"],
  ] as const;
  for (const [name, entries, file, what] of orders) {
    const written = elementsIn(tree, name);
    const ids = written.map(({ props }) => props.id ?? "");
    const asked = entries.map(({ id }) => id);
    if (ids.join() === asked.join()) continue;
    const odd = written.find(({ props }, i) => props.id !== asked[i]);
    const reason = FITS.otherIds(what, file, listed(asked), listed(ids));
    blame(PROSE_FILE, odd?.line ?? null, reason);
  }
  const has = (element: ProseElement, attribute: string, among: object, what: string) => {
    const id = element.props[attribute] ?? "";
    if (Object.hasOwn(among, id)) return;
    blame(PROSE_FILE, element.line, FITS.notInLesson(what, id));
  };
  for (const name of ["At", "Marks", "Turn"]) {
    for (const element of elementsIn(tree, name)) has(element, "scene", data.scenes, "scene");
  }
  for (const element of elementsIn(tree, "Turn")) has(element, "knob", data.knobs, "knob");
  for (const { props, line } of elementsIn(tree, "Seeds")) {
    if (data.questions.some(({ id }) => id === props.of)) continue;
    blame(PROSE_FILE, line, FITS.noQuestion(props.of));
  }
  for (const { props, line } of elementsIn(tree, "Published")) {
    const table = data.published?.tables.find(({ id }) => id === props.table);
    if (!table) blame(PROSE_FILE, line, FITS.noTable(props.table));
    for (const row of table ? (props.rows ?? "").split("|") : []) {
      if (table?.rows.some(({ metric }) => metric === row)) continue;
      blame(PROSE_FILE, line, FITS.noRow(props.table, row));
    }
  }
}

/**
 * A question must be a direct child of the step that asks it, and be followed by an explanation.
 */
function secretFaults({ data, tree }: LessonFiles, blame: Blame) {
  for (const step of elementsIn(tree, "Step")) {
    const asks = elementsIn([step], "Ask");
    const { asks: asked } = data.steps.find(({ id }) => id === step.props.id) ?? {};
    if (asks.length > 1) blame(PROSE_FILE, asks[1]?.line ?? null, FITS.stepAsksOneQuestion);
    const [ask] = asks;
    if (ask?.props.id !== asked) {
      const says = FITS.asks(step.props.id, asked ?? "nothing");
      blame(PROSE_FILE, ask?.line ?? step.line, FITS.hereItAsks(says, ask?.props.id ?? "nothing"));
    }
    if (!ask) continue;
    const at = step.children.indexOf(ask);
    const after = step.children.slice(at + 1).some((node) => typeof node !== "string");
    if (at < 0) blame(PROSE_FILE, ask.line, FITS.mustBeDirectChild);
    else if (!after) {
      blame(PROSE_FILE, ask.line, FITS.nothingFollows);
    }
  }
}

/** Settings, scenes, questions and builds must name things that exist. */
function dataFaults({ data, promises }: LessonFiles, blame: Blame) {
  const { experiments } = data.experiments;
  const experiment = (file: string, path: string, id: string) => {
    if (Object.hasOwn(experiments, id)) return;
    blame(file, path, FITS.noExperiment(id));
  };
  const knobs = (file: string, path: string, ids: readonly string[]) => {
    for (const id of ids) {
      if (Object.hasOwn(data.knobs, id)) continue;
      blame(file, path, FITS.noKnob(id));
    }
  };
  const among = (file: string, path: string, values: readonly string[], value: string) => {
    if (!values.includes(value)) blame(file, path, FITS.isNoneOf(value, listed(values)));
  };
  for (const [id, { experiment: of, set }] of Object.entries(data.scenes)) {
    experiment("lesson.json", `scenes.${id}.experiment`, of);
    knobs("lesson.json", `scenes.${id}.set`, Object.keys(set));
  }
  for (const [i, { scene }] of data.steps.entries()) {
    if (scene === undefined || Object.hasOwn(data.scenes, scene)) continue;
    blame("lesson.json", `steps[${i}].scene`, FITS.noScene(scene));
  }
  for (const [i, question] of data.questions.entries()) {
    const at = (field: string) => `[${i}].${field}`;
    experiment("questions.json", at("experiment"), question.experiment);
    knobs("questions.json", at("knob"), [question.knob]);
    knobs("questions.json", at("set"), Object.keys(question.set));
    among("questions.json", at("start"), question.values, question.start);
    if (question.open !== undefined)
      among("questions.json", at("open"), question.values, question.open);
  }
  for (const [i, each] of promises.entries()) {
    if (!isClaim(each)) continue;
    experiment("claims.json", `[${i}].experiment`, each.experiment);
    knobs("claims.json", `[${i}].set`, Object.keys(each.set));
  }
  for (const [i, build] of data.builds.entries()) {
    experiment("builds.json", `[${i}].experiment`, build.experiment);
    knobs("builds.json", `[${i}].compare`, [build.compare.knob]);
    for (const [p, { knob, values, start }] of build.parts.entries()) {
      knobs("builds.json", `[${i}].parts[${p}].knob`, [knob]);
      among("builds.json", `[${i}].parts[${p}].start`, values, start);
    }
  }
}

/**
 * Knobs must fill blanks that exist, and every blank needs a value if no knob fills it.
 */
function blankFaults({ data }: LessonFiles, blame: Blame) {
  const { experiments } = data.experiments;
  const all = Object.values(experiments).flatMap(({ blanks }) => Object.keys(blanks));
  for (const [id, { turns }] of Object.entries(data.knobs)) {
    const name = blankOf(turns);
    if (name === null || all.includes(name)) continue;
    blame("lesson.json", `knobs.${id}.turns`, FITS.noBlank(name));
  }
  for (const [id, { blanks, ...rest }] of Object.entries(experiments)) {
    for (const [name, path] of blanksIn(rest, `experiments.${id}`)) {
      if (Object.hasOwn(blanks, name)) continue;
      blame("experiments.json", path, FITS.notItsBlank(name));
    }
  }
}

/** The blanks in a part of an experiment, each with its path. */
function blanksIn(part: unknown, path: string): [name: string, path: string][] {
  const name = blankAt(part);
  if (name !== null) return [[name, path]];
  if (Array.isArray(part)) return part.flatMap((each, i) => blanksIn(each, `${path}[${i}]`));
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, each]) => blanksIn(each, `${path}.${key}`));
}

/** Can all statements be parsed? */
function statementFaults({ data, promises }: LessonFiles, blame: Blame): boolean {
  let isReadable = true;
  const readable = (file: string, path: string, text: string) => {
    try {
      parseStatement(text);
    } catch (error) {
      isReadable = false;
      blame(file, path, `${error instanceof Error ? error.message : error}.`);
    }
  };
  for (const [i, { answers }] of data.questions.entries()) {
    for (const [a, answer] of answers.entries()) {
      readable("questions.json", `[${i}].answers[${a}].if`, answer.if);
    }
  }
  for (const [i, { goal, says }] of data.builds.entries()) {
    for (const each of goal) readable("builds.json", `[${i}].goal`, each);
    for (const [s, each] of says.entries()) {
      readable("builds.json", `[${i}].says[${s}].if`, each.if);
    }
  }
  for (const [i, each] of promises.entries()) {
    for (const [e, text] of (isClaim(each) ? each.expect : []).entries()) {
      readable("claims.json", `[${i}].expect[${e}]`, text);
    }
  }
  return isReadable;
}

/** Quotations must be in the prose, word by word, and must not answer a question that follows. */
function quoteFaults({ data, promises }: LessonFiles, prose: string, blame: Blame) {
  const text = flat(prose);
  for (const [i, each] of promises.entries()) {
    const from = text.indexOf(each.says);
    if (from < 0) blame("claims.json", `[${i}].says`, FITS.notSaid(each.says));
    else if (isClaim(each)) {
      for (const question of data.questions) {
        const isBefore = from < text.indexOf(`<Ask id="${question.id}"`);
        if (!isBefore || !givesAway(each, question)) continue;
        const reason = FITS.answersLater(each.says, question.id);
        blame(PROSE_FILE, lineOf(prose, each.says), reason);
      }
    }
  }
}

/** The line of a text that may span several lines. */
function lineOf(prose: string, says: string): number {
  const words = says.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const at = prose.search(new RegExp(words.join("\\s+")));
  return prose.slice(0, Math.max(0, at)).split("\n").length;
}

/**
 * Does a claim state the values that decide a question, at the moment of the question or at the end
 * of the run?
 */
function givesAway(claim: Claim, question: Question): boolean {
  const isThere = JSON.stringify(claim.at) === JSON.stringify(keyMomentOf(question));
  if ((!isThere && claim.at.kind !== "end") || claim.experiment !== question.experiment)
    return false;
  const value = claim.set[question.knob];
  if (value !== undefined && !question.values.includes(value)) return false;
  if (!agrees(claim.set, question.set)) return false;
  const names = claim.expect.flatMap((text) => namesIn(parseStatement(text)));
  // A claim about only some of the deciding numbers does not give away the answer.
  return question.answers.some((answer) =>
    namesIn(parseStatement(answer.if)).every((name) => names.includes(name)),
  );
}

const agrees = (set: Setting, still: Setting): boolean =>
  Object.entries(still).every(([id, value]) => (set[id] ?? value) === value);
