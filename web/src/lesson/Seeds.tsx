import { useDesk, useDeskState, useQuestion } from "./context";
import { SWEEP_SEEDS, type Sweep } from "./desk";
import { runOf } from "./mark";
import type { Question } from "./schema";

/** The same machine many times over: which answer each run gives, for each value of the tunable. */
export function Seeds({ of: id }: { of: string }) {
  const desk = useDesk();
  const question = useQuestion(id);
  const sweep = useDeskState((state) => state.sweeps[id]);
  const all = question.factors.length * SWEEP_SEEDS;
  const done = Object.values(sweep?.keys ?? {})
    .flat()
    .filter((key) => key !== null).length;
  return (
    <section className="seeds" aria-label={`${all} runs`}>
      <div className="rows">
        {question.factors.map((factor) => (
          <Row key={factor} question={question} factor={factor} sweep={sweep} />
        ))}
      </div>
      <div className="go">
        {sweep?.isRunning ? (
          <>
            <button type="button" className="btn line" onClick={() => desk.cancelSweep(question)}>
              Cancel
            </button>
            <span role="status">
              <b>{done}</b> of {all} runs
            </span>
          </>
        ) : (
          <>
            <button type="button" className="btn solid" onClick={() => void desk.sweep(question)}>
              Run all {all}
            </button>
            <span role="status">
              {sweep?.failure && `The runs could not be made: ${sweep.failure} `}
              {done === 0
                ? "Twenty runs of each factor; only the seed differs."
                : `${done} of ${all} runs. Choose one to see it on the stage.`}
            </span>
          </>
        )}
      </div>
    </section>
  );
}

function Row({
  question,
  factor,
  sweep,
}: {
  question: Question;
  factor: string;
  sweep: Sweep | undefined;
}) {
  const desk = useDesk();
  const keys = sweep?.keys[factor] ?? Array<null>(SWEEP_SEEDS).fill(null);
  // The first answer is the one that is counted.
  const [counted] = question.answers;
  const times = keys.filter((key) => key === counted?.id).length;
  const isDone = keys.every((key) => key !== null);
  return (
    <div className="row">
      <span className="of">factor {factor}</span>
      <ol aria-label={`Runs with factor ${factor}`}>
        {keys.map((key, i) => {
          const seed = i + 1;
          const label = question.answers.find(({ id }) => id === key)?.label;
          return (
            <li key={seed}>
              <button
                type="button"
                className={key === null ? "" : key === counted?.id ? "yes" : "no"}
                disabled={key === null}
                aria-label={`Run ${seed} with factor ${factor}: ${label ?? "not run yet"}`}
                title={`Run ${seed}${label ? `: ${label}` : ""}`}
                onClick={() => void desk.showWatch(question, runOf(question, factor, seed))}
              />
            </li>
          );
        })}
      </ol>
      <span className="sum">{isDone ? `${times} of ${keys.length} stall` : ""}</span>
    </div>
  );
}
