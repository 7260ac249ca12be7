// The key to a lesson's handout: for each question the answers, the result of each run, and the
// explanation.

import { createContext, type ReactNode, use } from "react";
import type { Prose } from "../../../lessons/load";
import type { Verdict } from "../../../lessons/mark";
import { readAt } from "../../../lessons/readings";
import { knobOf, type Question } from "../../../lessons/schema";
import { useLesson } from "../context";
import { FIRST_SEED, runKey } from "../controller";
import { Filled } from "../Filled";
import { partsOf, StepHead } from "../Step";
import { PAPER_COMPONENTS, PaperAsk, settingWords } from "./paper";
import { SheetHead, type SheetProps, useLightTheme, usePrinting } from "./sheet";
import "./handout.css";
import { RichText } from "../../../ui/rich-text";
import { KEY } from "./words";

/** The verdicts of every question's runs, by {@link runKey}. */
type Verdicts = ReadonlyMap<string, Verdict>;

/** The verdicts for the steps of the key, which the prose renders. */
const KeyVerdicts = createContext<Verdicts>(new Map());
const nothing = () => null;
/** Knobs and build tasks work only on the screen, so they have no answer to print. */
const KEY_COMPONENTS = {
  ...PAPER_COMPONENTS,
  Step: KeyStep,
  Marks: nothing,
  Turn: nothing,
  Construct: nothing,
};

/** The key. It prints as soon as it has rendered. */
export function Key({
  Prose,
  verdicts,
  address,
  printed,
}: SheetProps & { Prose: Prose; verdicts: Verdicts }) {
  const { title } = useLesson().lesson;
  useLightTheme();
  usePrinting(true, printed);
  return (
    <section className="handout" aria-label={KEY.key}>
      <SheetHead title={KEY.titleKey(title)} address={address}>
        <p className="made">{KEY.engineRanEveryQuestion}</p>
      </SheetHead>
      <KeyVerdicts value={verdicts}>
        <Prose components={KEY_COMPONENTS} />
      </KeyVerdicts>
    </section>
  );
}

/** For a step with a question, the answers and the explanation; nothing for other steps. */
function KeyStep({ id, children }: { id: string; children: ReactNode }) {
  const { lesson } = useLesson();
  const verdicts = use(KeyVerdicts);
  const { question: asked, after } = partsOf(children, PaperAsk);
  const question = lesson.questions.find((each) => each.id === asked);
  if (!question) return null;
  return (
    <section className="step">
      <StepHead id={id} idOf={keyId} />
      <h3>{question.ask}</h3>
      <ul className="answer">
        {question.values.map((value) => (
          <Given key={value} question={question} value={value} verdicts={verdicts} />
        ))}
      </ul>
      {after}
    </section>
  );
}

/** Ids of headings in the key differ from those on the page. */
const keyId = (id: string) => `key-${id}`;

/** The result of the run with a value. */
function Given({
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
      <RichText
        text={KEY.setting(settingWords(knob, value), value, question.open)}
        parts={{
          label: <b>{verdict.key.label}</b>,
          filled: <Filled text={verdict.key.because} read={readAt(verdict.end.view)} />,
        }}
      />
    </li>
  );
}
