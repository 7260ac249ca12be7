// A lesson's prose on paper: what is pressed on the screen is text, what is asked has room to write.

import type { ReactNode } from "react";
import { type Knob, knobOf, type LessonData, valueName } from "../../../lessons/schema";
import { useLesson, useQuestion } from "../context";
import { KnobName } from "../KnobChoice";
import { Published } from "../Published";
import { partsOf, StepHead } from "../Step";

const ROOM = ["first", "second", "third"] as const;

/** Lines to write on. */
function Room({ lines = 3 }: { lines?: 1 | 2 | 3 }) {
  return (
    <div className="room" aria-hidden="true">
      {ROOM.slice(0, lines).map((line) => (
        <i key={line} />
      ))}
    </div>
  );
}

/** A value of a knob in words: "factor 10". */
export const settingWords = (knob: Knob, value: string): string =>
  `${knob.word} ${valueName(knob, value)}`;

/** Is a step read before anything is asked? */
export function isBeforeQuestions({ steps }: Pick<LessonData, "steps">, id: string): boolean {
  const first = steps.findIndex(({ asks }) => asks !== undefined);
  const at = steps.findIndex((step) => step.id === id);
  return first < 0 || at < first;
}

/** What is read before the first question, and every question; what answers one stands elsewhere. */
function PaperStep({ id, children }: { id: string; children: ReactNode }) {
  const { lesson } = useLesson();
  const { before, question } = partsOf(children, PaperAsk);
  if (question === null && !isBeforeQuestions(lesson, id)) return null;
  return (
    <section className="step">
      <StepHead id={id} idOf={paperId} />
      {before}
    </section>
  );
}

/** Headings of the handout are not those of the page. */
const paperId = (id: string) => `paper-${id}`;

/** A question: the answers to tick, room for the reason, and the other values to think about. */
export function PaperAsk({ id }: { id: string }) {
  const { lesson } = useLesson();
  const question = useQuestion(id);
  const knob = knobOf(lesson, question.knob);
  const others = question.values.filter((value) => value !== question.start);
  return (
    <section className="ask">
      <p className="setting">With {settingWords(knob, question.start)}:</p>
      <h3>{question.ask}</h3>
      <ul className="ticks">
        {question.answers.map(({ id: answer, label, note }) => (
          <li key={answer}>
            <i aria-hidden="true" /> {label} <small>{note}</small>
          </li>
        ))}
      </ul>
      <p>Why?</p>
      <Room />
      <p>And with {others.map((value) => settingWords(knob, value)).join(", or ")}?</p>
      <Room lines={2} />
    </section>
  );
}

function PaperTurn({ knob: id, values }: { knob: string; values: string }) {
  const knob = knobOf(useLesson().lesson, id);
  const all = values.split(values.includes("|") ? "|" : " ");
  return (
    <section className="on-screen">
      <p>
        On the screen: turn <KnobName knob={knob} /> to{" "}
        {all.map((value) => valueName(knob, value)).join(", ")}. What changes?
      </p>
      <Room lines={2} />
    </section>
  );
}

const PaperMarks = ({ values }: { values: string }) => <PaperTurn knob="factor" values={values} />;

function PaperConstruct({ id }: { id: string }) {
  const { lesson } = useLesson();
  const build = lesson.builds.find((each) => each.id === id);
  if (!build) return null;
  return (
    <section className="ask">
      <h3>{build.ask}</h3>
      <ul>
        {build.parts.map(({ knob: part, values }) => {
          const knob = knobOf(lesson, part);
          return (
            <li key={part}>
              <KnobName knob={knob} />: {values.map((value) => valueName(knob, value)).join(", ")}
            </li>
          );
        })}
      </ul>
      <p>It is tried on the screen. What do you choose, and why?</p>
      <Room />
    </section>
  );
}

const Plain = ({ children }: { children: ReactNode }) => children;

function Origin({ children }: { children: ReactNode }) {
  return <small className="origin">{children}</small>;
}

/** The components MDX is given for paper. */
export const PAPER_COMPONENTS = {
  Step: PaperStep,
  At: Plain,
  Ask: PaperAsk,
  Marks: PaperMarks,
  Turn: PaperTurn,
  // Runs of many seeds are made on the screen, and are told of where the answer is.
  Seeds: () => null,
  Construct: PaperConstruct,
  Published,
  Origin,
  Home: Plain,
};
