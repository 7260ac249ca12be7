// Computes how long a lesson takes: it goes through the lesson from the first word to the last, and
// adds a fixed time for each action of a reader.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ProseNode, parseProse } from "../web/src/lessons/folder/prose";
import { type LessonData, readLesson } from "../web/src/lessons/schema";

/** Words of an explanatory text that the user reads in a minute. */
const WORDS_A_MINUTE = 200;

/** Seconds for the action at each component of the prose, besides reading it. */
const SECONDS: Readonly<Record<string, (props: Readonly<Record<string, string>>) => number>> = {
  /** Press the button, and look at the stage. */
  At: () => 10,
  /** Turn the knob to each value, and look for the changes. */
  Turn: ({ values = "" }) => 15 * valuesIn(values),
  Marks: ({ values = "" }) => 15 * valuesIn(values),
  /** Think, choose, and compare the run with the expectation. */
  Ask: () => 60,
  /** Run many seeds, and compare their ends. */
  Seeds: () => 60,
  /** Try combinations until one meets the goal. */
  Construct: () => 180,
  /** Read a table of numbers. */
  Published: () => 60,
};

const valuesIn = (values: string) => values.split(values.includes("|") ? "|" : " ").length;

const wordsIn = (text: string) =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** Words to read and seconds of action in a piece of the prose. */
function walked(node: ProseNode, lesson: LessonData): { words: number; seconds: number } {
  if (typeof node === "string") return { words: wordsIn(node), seconds: 0 };
  const { name, props, children } = node;
  const within = children.map((child) => walked(child, lesson));
  return {
    words: sum(within.map(({ words }) => words)) + wordsIn(textsAt(name, props, lesson).join(" ")),
    seconds: sum(within.map(({ seconds }) => seconds)) + (SECONDS[name]?.(props) ?? 0),
  };
}

/** The text of a component that takes it from the files next to the prose. */
function textsAt(
  name: string,
  { id = "" }: Readonly<Record<string, string>>,
  lesson: LessonData,
): readonly string[] {
  if (name === "Step") return [lesson.steps.find((step) => step.id === id)?.title ?? ""];
  const question = lesson.questions.find((each) => each.id === id);
  if (name === "Ask" && question) {
    const { ask, answers } = question;
    // A reader sees one explanation: the explanation of the right answer.
    const [because = ""] = answers.map((each) => each.because);
    return [ask, because, ...answers.flatMap(({ label, note }) => [label, note])];
  }
  const build = lesson.builds.find((each) => each.id === id);
  if (name === "Construct" && build) return [build.ask, build.says[0]?.because ?? ""];
  return [];
}

/** The files of a lesson that the walk reads. */
function read(folder: string) {
  const file = (name: string): unknown =>
    existsSync(join(folder, name)) ? JSON.parse(readFileSync(join(folder, name), "utf8")) : [];
  const lesson = readLesson({
    head: file("lesson.json"),
    experiments: file("experiments.json"),
    questions: file("questions.json"),
    builds: file("builds.json"),
  });
  return { lesson, tree: parseProse(readFileSync(join(folder, "index.mdx"), "utf8")).tree };
}

/** The minutes of the walk through a lesson's folder, and the minutes in its lesson.json. */
export function minutesOf(folder: string): { readonly walked: number; readonly said: number } {
  const { lesson, tree } = read(folder);
  const head = wordsIn([lesson.title, lesson.about, ...(lesson.course?.goals ?? [])].join(" "));
  const steps = tree.map((node) => walked(node, lesson));
  const words = head + sum(steps.map((step) => step.words));
  const seconds = sum(steps.map((step) => step.seconds));
  return { walked: words / WORDS_A_MINUTE + seconds / 60, said: lesson.minutes };
}
