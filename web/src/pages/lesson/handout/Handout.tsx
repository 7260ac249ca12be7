// A lesson on paper. It stands on the page while it is printed, and shows in print alone: the stage's
// picture, then what is read before a prediction and every question, then the answers and all that
// builds on them, which begin on a page of their own.

import { createContext, type ReactNode, useContext, useEffect } from "react";
import type { Prose } from "../../../lessons/load";
import type { Verdict } from "../../../lessons/mark";
import { readAt } from "../../../lessons/readings";
import { knobOf, type Question } from "../../../lessons/schema";
import { lendLight } from "../../../ui/theme";
import { useLesson } from "../context";
import { FIRST_SEED, runKey } from "../controller";
import { Filled } from "../Filled";
import { partsOf, StepHead } from "../Step";
import { isBeforeQuestions, PAPER_COMPONENTS, PaperAsk, settingWords } from "./paper";
import "./handout.css";

/** What the runs of every question gave, by {@link runKey}. */
export type Verdicts = ReadonlyMap<string, Verdict>;

/** The verdicts for the steps of the answers, which the prose renders. */
const AnswerVerdicts = createContext<Verdicts>(new Map());
const ANSWER_COMPONENTS = { ...PAPER_COMPONENTS, Step: AnswerStep };

/** Above the stage's picture: what this is, and whose. */
export function HandoutHead() {
  const { title, about } = useLesson().lesson;
  return (
    <header className="handout">
      <p className="whose">
        Name <i /> Date <i />
      </p>
      <h1>{title}</h1>
      <p className="stand">{about}</p>
      <p className="how">
        Predict first. The answers, and the steps that build on them, begin on a page of their own.
      </p>
    </header>
  );
}

/** Below it: the questions with what is read before them, and the answers. Prints as soon as it stands. */
export function HandoutBody({
  Prose,
  verdicts,
  printed,
}: {
  Prose: Prose;
  verdicts: Verdicts;
  printed: () => void;
}) {
  const { title } = useLesson().lesson;
  useEffect(() => {
    const giveBack = lendLight();
    addEventListener("afterprint", printed, { once: true });
    // The maps are painted anew in the theme of paper: one frame to begin, one to be done.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => print());
    });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("afterprint", printed);
      giveBack();
    };
  }, [printed]);
  return (
    <div className="handout">
      <div className="body">
        <Prose components={PAPER_COMPONENTS} />
      </div>
      <section className="key" aria-label="Answers">
        <h2>Answers: {title}</h2>
        <p className="made">
          Each answer is what a run of the engine gave when this was printed. The text goes on from
          there.
        </p>
        <AnswerVerdicts value={verdicts}>
          <Prose components={ANSWER_COMPONENTS} />
        </AnswerVerdicts>
      </section>
    </div>
  );
}

/** Of a question's step the answers and what follows them; of later steps that ask nothing, all. */
function AnswerStep({ id, children }: { id: string; children: ReactNode }) {
  const { lesson } = useLesson();
  const verdicts = useContext(AnswerVerdicts);
  const { before, question: asked, after } = partsOf(children, PaperAsk);
  const question = lesson.questions.find((each) => each.id === asked);
  if (isBeforeQuestions(lesson, id)) return null;
  return (
    <section className="step">
      <StepHead id={id} idOf={answerId} />
      {question ? (
        <div className="answer">
          <h3>{question.ask}</h3>
          <ul>
            {question.values.map((value) => (
              <KeyOf key={value} question={question} value={value} verdicts={verdicts} />
            ))}
          </ul>
        </div>
      ) : (
        before
      )}
      {after}
    </section>
  );
}

/** Headings of the answers are not those of the questions. */
const answerId = (id: string) => `answer-${id}`;

/** What the run with a value gave. */
function KeyOf({
  question,
  value,
  verdicts,
}: {
  question: Question;
  value: string;
  verdicts: Verdicts;
}) {
  const knob = knobOf(useLesson().lesson, question.knob);
  const verdict = verdicts.get(runKey(question.id, { value, seed: FIRST_SEED }));
  if (!verdict) return null;
  return (
    <li>
      {settingWords(knob, value)}: <b>{verdict.key.label}</b>.{" "}
      <Filled text={verdict.key.because} read={readAt(verdict.end.view)} />
      {value === question.open && " This is run 1: in others it is another answer."}
    </li>
  );
}
