// A lesson on paper. It stands on the page while it is printed, and shows in print alone: what it is
// before the stage's picture, what follows that, and the key as the last page.

import { createContext, type ReactNode, useContext, useEffect } from "react";
import type { Prose } from "../../../lessons/load";
import type { Verdict } from "../../../lessons/mark";
import { readAt } from "../../../lessons/readings";
import { knobOf, type Question } from "../../../lessons/schema";
import { lendLight } from "../../../ui/theme";
import { useLesson } from "../context";
import { FIRST_SEED, runKey } from "../controller";
import { Filled } from "../Filled";
import { partsOf } from "../Step";
import { PAPER_COMPONENTS, PaperAsk, settingWords } from "./paper";
import "./handout.css";

/** What the runs of every question gave, by {@link runKey}. */
export type Verdicts = ReadonlyMap<string, Verdict>;

/** The verdicts for the steps of the key, which the prose renders. */
const KeyVerdicts = createContext<Verdicts>(new Map());
const KEY_COMPONENTS = { ...PAPER_COMPONENTS, Step: KeyStep };

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
    </header>
  );
}

/** Below it: the text with its questions, and the key. Prints as soon as it stands. */
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
      <section className="key" aria-label="Key">
        <h2>Key: {title}</h2>
        <p className="made">Each answer is what a run of the engine gave when this was printed.</p>
        <KeyVerdicts value={verdicts}>
          <Prose components={KEY_COMPONENTS} />
        </KeyVerdicts>
      </section>
    </div>
  );
}

/** Of each step the key has its question's answers and what follows it. */
function KeyStep({ children }: { children: ReactNode }) {
  const { lesson } = useLesson();
  const verdicts = useContext(KeyVerdicts);
  const { question: id, after } = partsOf(children, PaperAsk);
  const question = lesson.questions.find((each) => each.id === id);
  if (!question) return null;
  return (
    <section className="answer">
      <h3>{question.ask}</h3>
      <ul>
        {question.values.map((value) => (
          <KeyOf key={value} question={question} value={value} verdicts={verdicts} />
        ))}
      </ul>
      {after}
    </section>
  );
}

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
