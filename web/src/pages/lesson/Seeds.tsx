import { counted } from "../../engine/format";
import { runOf } from "../../lessons/mark";
import { knobOf, type Question, valueName } from "../../lessons/schema";
import { useLesson, useLessonState, useQuestion } from "./context";
import { SWEEP_SEEDS, type Sweep } from "./controller";

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
    <section className="seeds" aria-label={`${all} runs`}>
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
              Cancel
            </button>
            <span role="status">
              <b>{done}</b> of {counted(all, "run")}
            </span>
          </>
        ) : (
          <>
            <button
              type="button"
              className="btn solid"
              onClick={() => void controller.sweep(question)}
            >
              Run all {all}
            </button>
            <span role="status">
              {sweep?.failure && `The runs failed: ${sweep.failure} `}
              {done === 0
                ? "Twenty runs with each value; only the seed differs."
                : `${done} of ${counted(all, "run")}. Choose one to see it on the stage.`}
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
      <ol aria-label={`Runs with ${words}`}>
        {keys.map((key, i) => {
          const seed = i + 1;
          const label = question.answers.find(({ id }) => id === key)?.label;
          return (
            <li key={seed}>
              <button
                type="button"
                className={key === null ? "" : key === counted?.id ? "yes" : "no"}
                disabled={key === null}
                aria-label={`Run ${seed} with ${words}: ${label ?? "not run yet"}`}
                title={`Run ${seed}${label ? `: ${label}` : ""}`}
                onClick={() => void controller.showWatch(question, runOf(question, value, seed))}
              />
            </li>
          );
        })}
      </ol>
      <span className="sum">{isDone ? `${times} of ${keys.length} ${question.tally}` : ""}</span>
    </div>
  );
}
