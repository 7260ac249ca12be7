import { runOf } from "../../lessons/mark";
import { knobOf, type Question, valueName } from "../../lessons/schema";
import { RichText } from "../../ui/rich-text";
import { useLesson, useLessonState, useQuestion } from "./context";
import { SWEEP_SEEDS, type Sweep } from "./controller";
import { SEEDS } from "./words";

/** Many runs of the same machine: the answer of each run, for each value of the knob. */
export function Seeds({ of: id }: { of: string }) {
  const controller = useLesson();
  const question = useQuestion(id);
  const sweep = useLessonState((state) => state.sweeps[id]);
  const all = question.values.length * SWEEP_SEEDS;
  const done = Object.values(sweep?.keys ?? {})
    .flat()
    .filter((key) => key !== null).length;
  return (
    <section className="seeds" aria-label={SEEDS.runs(all)}>
      <div className="rows">
        {question.values.map((value) => (
          <Row key={value} question={question} value={value} sweep={sweep} />
        ))}
      </div>
      <div className="go">
        {sweep?.isRunning ? (
          <>
            <button
              type="button"
              className="btn line"
              onClick={() => controller.cancelSweep(question)}
            >
              {SEEDS.cancel}
            </button>
            <span role="status">
              <RichText text={SEEDS.allOf(all)} parts={{ done: <b>{done}</b> }} />
            </span>
          </>
        ) : (
          <>
            <button
              type="button"
              className="btn solid"
              onClick={() => void controller.sweep(question)}
            >
              {SEEDS.runAll(all)}
            </button>
            <span role="status">
              {sweep?.failure && `${SEEDS.runsFailed(sweep.failure)} `}
              {done === 0 ? SEEDS.twentyRuns : SEEDS.ofChooseOne(done, all)}
            </span>
          </>
        )}
      </div>
    </section>
  );
}

function Row({
  question,
  value,
  sweep,
}: {
  question: Question;
  value: string;
  sweep: Sweep | undefined;
}) {
  const controller = useLesson();
  const knob = knobOf(controller.lesson, question.knob);
  const words = `${knob.word} ${valueName(knob, value)}`;
  const keys = sweep?.keys[value] ?? Array<null>(SWEEP_SEEDS).fill(null);
  // Runs with the first answer are counted.
  const [counted] = question.answers;
  const times = keys.filter((key) => key === counted?.id).length;
  const isDone = keys.every((key) => key !== null);
  return (
    <div className="row">
      <span className="of">{words}</span>
      <ol aria-label={SEEDS.runsWith(words)}>
        {keys.map((key, i) => {
          const seed = i + 1;
          const label = question.answers.find(({ id }) => id === key)?.label;
          return (
            <li key={seed}>
              <button
                type="button"
                className={key === null ? "" : key === counted?.id ? "yes" : "no"}
                disabled={key === null}
                aria-label={SEEDS.runWith(seed, words, label)}
                title={SEEDS.seedRunLabel(seed, label)}
                onClick={() => void controller.showWatch(question, runOf(question, value, seed))}
              />
            </li>
          );
        })}
      </ol>
      <span className="sum">
        {isDone ? SEEDS.timesOfKeysTally(times, keys.length, question.tally) : ""}
      </span>
    </div>
  );
}
