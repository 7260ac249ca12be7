import { useId, useRef, useState } from "react";
import { count } from "../../engine/format";
import type { Verdict } from "../../lessons/mark";
import { readAt } from "../../lessons/readings";
import { knobOf, type Question } from "../../lessons/schema";
import { Icon } from "../../ui/icons";
import { RichText } from "../../ui/rich-text";
import { Sentence } from "../../ui/sentence";
import { useLesson, useLessonState, useQuestion } from "./context";
import { type Marking, runKey, settingIn } from "./controller";
import { Filled } from "./Filled";
import { KnobChoice, KnobName } from "./KnobChoice";
import { ASK } from "./words";

/** A question: the reader predicts, the engine runs and marks. */
export function Ask({ id }: { id: string }) {
  const question = useQuestion(id);
  const setting = useLessonState((state) => state.settings[id]) ?? {
    value: question.start,
    seed: 1,
  };
  const key = runKey(id, setting);
  const given = useLessonState((state) => state.given[key]);
  const marking = useLessonState((state) => state.markings[key]);
  return (
    <section className="ask" aria-label={ASK.prediction}>
      <Values question={question} />
      <h3>{question.ask}</h3>
      {/* For another run, no answer is selected yet. */}
      <Answers key={key} question={question} given={given} marking={marking} />
    </section>
  );
}

/** The knob, and the choice of a run for a question that chance decides. */
function Values({ question }: { question: Question }) {
  const controller = useLesson();
  const knob = knobOf(controller.lesson, question.knob);
  const value = useLessonState((state) => settingIn(state, question).value);
  const seed = useLessonState((state) => settingIn(state, question).seed);
  return (
    <div className="knobs">
      <KnobName knob={knob} />
      <KnobChoice
        knob={knob}
        values={question.values}
        chosen={value}
        choose={(each) => controller.choose(question, { value: each })}
      />
      {question.open !== undefined && (
        <span className="seed">
          {ASK.seedRun(seed)}
          <button
            type="button"
            className="btn line"
            onClick={() => controller.choose(question, { seed: seed + 1 })}
          >
            {ASK.anotherRun}
          </button>
        </span>
      )}
    </div>
  );
}

function Answers({
  question,
  given,
  marking,
}: {
  question: Question;
  given: string | undefined;
  marking: Marking | undefined;
}) {
  const controller = useLesson();
  const name = useId();
  const [chosen, setChosen] = useState<string | null>(null);
  const picked = given ?? chosen;
  const verdict = marking?.kind === "marked" ? marking.verdict : null;
  const status = useRef<HTMLDivElement>(null);
  // The pressed button disappears: the focus moves to its replacement.
  const hold = () => status.current?.focus({ preventScroll: true });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen === null) return;
        hold();
        controller.predict(question, chosen);
      }}
    >
      <fieldset disabled={given !== undefined}>
        <legend className="sr">{question.ask}</legend>
        {question.answers.map(({ id, label, note }) => (
          <label key={id} className={verdict?.key.id === id ? "is-key" : ""}>
            <input
              type="radio"
              name={name}
              value={id}
              checked={picked === id}
              onChange={() => setChosen(id)}
            />
            <span className="what">
              {label} <small>{note}</small>
            </span>
            {verdict?.key.id === id && (
              <span className="mark">
                <Icon name="check" /> {ASK.runSays}
              </span>
            )}
          </label>
        ))}
      </fieldset>
      {given === undefined && (
        <div className="go">
          <button type="submit" className="btn solid" disabled={chosen === null}>
            <Icon name="play" />
            {ASK.runIt}
          </button>
          <span>
            {chosen === null ? ASK.predictFirstEngineMarksYou : ASK.yourAnswerStaysBesideResult}
          </span>
        </div>
      )}
      <div ref={status} role="status" tabIndex={-1}>
        {marking?.kind === "running" && (
          <div className="go">
            <span>
              <RichText text={ASK.engineRunsStep} parts={{ step: <b>{count(marking.step)}</b> }} />
            </span>
            <button
              type="button"
              className="btn line"
              onClick={() => {
                hold();
                controller.cancel(question);
              }}
            >
              {ASK.cancel}
            </button>
          </div>
        )}
        {marking?.kind === "failed" && (
          <p className="result">{ASK.runCouldNotBeMade(marking.message)}</p>
        )}
        {verdict && given !== undefined && (
          <Result question={question} given={given} verdict={verdict} />
        )}
      </div>
    </form>
  );
}

/** The run's answer with its numbers, and a link to the moment to show. */
function Result({
  question,
  given,
  verdict,
}: {
  question: Question;
  given: string;
  verdict: Verdict;
}) {
  const controller = useLesson();
  // Renders again when the engine has started, because the link needs the engine's version.
  useLessonState((state) => state.engine);
  const { key, end, watch, run } = verdict;
  const isRight = key.id === given;
  const answer = question.answers.find(({ id }) => id === given);
  const href = controller.linkTo(verdict.experiment, watch);
  const { position, why } = watch.view;
  return (
    <div className="result" data-right={isRight}>
      <p>
        <b>{isRight ? ASK.right : ASK.notThisTimeYouSaid(lower(answer?.label))}</b>{" "}
        <Filled text={key.because} read={readAt(end.view)} />
      </p>
      <p className="watch">
        {ASK.lookAt(position.time_ns)}
        {why ? ": " : "."}
        {why && (
          <q>
            <Sentence spans={why.sentence} />
          </q>
        )}
      </p>
      <div className="go">
        <button
          type="button"
          className="btn line"
          onClick={() => void controller.showWatch(question, run)}
        >
          {ASK.showItOnStage}
        </button>
        {href && (
          <a className="btn line" href={href}>
            {ASK.watchItHappen}
          </a>
        )}
      </div>
    </div>
  );
}

const lower = (text = "") => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
