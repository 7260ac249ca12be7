// Checks a lesson's experiments with the engine, before a reader sees the lesson.

import { lineIn } from "../json-faults";
import type { Measuring } from "../results";
import { type LessonData, measureOf, type Run } from "../schema";
import type { FolderTexts } from "./check";
import type { Fault } from "./fault";

/** All errors from the engine, by file and line. */
export async function judge(
  lesson: LessonData,
  texts: FolderTexts,
  measure: Measuring,
): Promise<readonly Fault[]> {
  const refusalsOf = async (run: Run) => {
    const measured = await measure(measureOf(lesson, run, [{ kind: "start" }]));
    return measured.kind === "refused" ? measured.refusals : [];
  };
  const faults: Fault[] = [];
  const blame = (file: string, path: string, reason: string) => {
    const fault = { file, line: lineIn(texts[file] ?? "", path), reason };
    const isReported = faults.some((each) => each.line === fault.line && each.reason === reason);
    if (!isReported) faults.push(fault);
  };
  const { experiments, machine } = lesson.experiments;
  for (const [id, each] of Object.entries(experiments)) {
    for (const { path, reason } of await refusalsOf({ experiment: id, set: {}, seed: 1 })) {
      const isShared = /^machine\b/.test(path) && !("machine" in each) && machine !== undefined;
      const place = isShared ? path : `experiments.${id}.${path}`;
      blame("experiments.json", place, `${path}: ${reason}`);
    }
  }
  if (faults.length > 0) return faults;
  for (const [id, scene] of Object.entries(lesson.scenes)) {
    for (const { path, reason } of await refusalsOf({ ...scene, seed: 1 })) {
      blame("lesson.json", `scenes.${id}.set`, `${path}: ${reason}`);
    }
  }
  for (const [i, question] of lesson.questions.entries()) {
    for (const [v, value] of question.values.entries()) {
      const set = { ...question.set, [question.knob]: value };
      for (const { path, reason } of await refusalsOf({ ...question, set, seed: 1 })) {
        blame("questions.json", `[${i}].values[${v}]`, `${path}: ${reason}`);
      }
    }
  }
  return faults;
}
