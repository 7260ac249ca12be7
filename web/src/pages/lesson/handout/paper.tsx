// A lesson's prose on paper: buttons become text, and questions get space to write.

import { Children, isValidElement, type ReactNode, use } from "react";
import { type Knob, knobOf, type LessonData, valueName } from "../../../lessons/schema";
import { RichText } from "../../../ui/rich-text";
import { useLesson, useQuestion } from "../context";
import { KnobName } from "../KnobChoice";
import { Published } from "../Published";
import { partsOf, StepHead } from "../Step";
import { HandoutFigures } from "./figures";
import { PAPER } from "./words";

const ROOM = ["first", "second", "third"] as const;

/** Lines to write on; some are left out if the handout would be too long. */
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

/** Does a step come before all questions? */
function isBeforeQuestions({ steps }: Pick<LessonData, "steps">, id: string): boolean {
  const first = steps.findIndex(({ asks }) => asks !== undefined);
  const at = steps.findIndex((step) => step.id === id);
  return first < 0 || at < first;
}

/** The scenes in a part of the prose, in its order. */
function scenesIn(children: ReactNode): string[] {
  return Children.toArray(children).flatMap((each) => {
    if (!isValidElement<{ scene?: string; children?: ReactNode }>(each)) return [];
    const { scene, children: inside } = each.props;
    return [...(each.type === PaperAt && scene ? [scene] : []), ...scenesIn(inside)];
  });
}

/**
 * The text before the first question, every question, and the build tasks. The handout leaves out
 * explanations of answers and all text that builds on them.
 */
function PaperStep({ id, children }: { id: string; children: ReactNode }) {
  const { lesson } = useLesson();
  const { before, question } = partsOf(children, PaperAsk);
  const isFirst = isBeforeQuestions(lesson, id);
  const builds = isFirst ? [] : Children.toArray(children).filter(isBuild);
  if (question === null && !isFirst && builds.length === 0) return null;
  const visible = question !== null || isFirst ? before : builds;
  const text = question === null ? visible : visible.slice(0, -1);
  const figures = <StepFigures key="figures" id={id} scenes={scenesIn(visible)} />;
  const count = [...use(HandoutFigures).values()].filter(({ step }) => step === id).length;
  // A single figure is next to the text; a wide figure is below the text.
  const isBelow = count > 1 || (count === 1 && lesson.stage === "nodes");
  return (
    <section className="step">
      <StepHead id={id} idOf={paperId} />
      {!isBelow && figures}
      {text}
      {isBelow && figures}
      {visible.slice(text.length)}
    </section>
  );
}

const isBuild = (child: ReactNode): boolean =>
  isValidElement(child) && child.type === PaperConstruct;

/** Ids of headings in the handout differ from those on the page. */
const paperId = (id: string) => `paper-${id}`;

/**
 * The figures to which this step refers first. The scenes stay in the document, where the handout
 * reads them.
 */
function StepFigures({ id, scenes }: { id: string; scenes: readonly string[] }) {
  const figures = use(HandoutFigures);
  const { lesson } = useLesson();
  // If the text refers to no scene, the first step's scene is used.
  const [first] = lesson.steps;
  const own = first?.id === id && first.scene !== undefined ? [first.scene] : [];
  const visible = [...figures].filter(([, { step }]) => step === id);
  const isWide = visible.some(([, figure]) => figure.isWide);
  return (
    <div
      className="figs"
      data-of={id}
      data-scenes={scenes.join(" ")}
      data-own={own.join(" ")}
      data-shape={isWide ? "wide" : visible.length === 1 ? "one" : "pair"}
    >
      {visible.map(([scene, { number, words, src }]) => (
        <figure key={scene}>
          <img src={src} alt={PAPER.stage(words)} />
          <figcaption>
            <b>{PAPER.figure(number)}</b> {words}.
          </figcaption>
        </figure>
      ))}
    </div>
  );
}

/** Words that refer to a scene, with the number of its figure. */
function PaperAt({ scene, children }: { scene: string; children: ReactNode }) {
  const figure = use(HandoutFigures).get(scene);
  return (
    <>
      {children}
      {figure && <span className="fig-ref"> {PAPER.figure2(figure.number)}</span>}
    </>
  );
}

/** A question: answers to tick, space for the reason, and the other values to think about. */
export function PaperAsk({ id }: { id: string }) {
  const { lesson } = useLesson();
  const question = useQuestion(id);
  const knob = knobOf(lesson, question.knob);
  const others = question.values.filter((value) => value !== question.start);
  return (
    <section className="ask">
      <p className="setting">{PAPER.setting(settingWords(knob, question.start))}</p>
      <h3>{question.ask}</h3>
      <ul className="ticks">
        {question.answers.map(({ id: answer, label, note }) => (
          <li key={answer}>
            <i aria-hidden="true" />
            <span>
              {label} <small>{note}</small>
            </span>
          </li>
        ))}
      </ul>
      <p>{PAPER.why}</p>
      <Room />
      <p>{PAPER.otherSettings(others.map((value) => settingWords(knob, value)).join("; "))}</p>
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
        <RichText
          text={PAPER.onScreenTry(all.map((value) => valueName(knob, value)).join(", "))}
          parts={{ knobName: <KnobName knob={knob} /> }}
        />
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
  const compared = knobOf(lesson, build.compare.knob);
  const runs = build.compare.values.map((value) => valueName(compared, value)).join(", ");
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
      <p>{PAPER.youTry(compared.word, runs)}</p>
      <Room />
    </section>
  );
}

const Plain = ({ children }: { children: ReactNode }) => children;

function Origin({ children }: { children: ReactNode }) {
  return <small className="origin">{children}</small>;
}

/** The components of MDX for paper. */
export const PAPER_COMPONENTS = {
  Step: PaperStep,
  At: PaperAt,
  Ask: PaperAsk,
  Marks: PaperMarks,
  Turn: PaperTurn,
  // Runs with many seeds are made on the screen; the explanation describes them.
  Seeds: () => null,
  Construct: PaperConstruct,
  Published,
  Origin,
  Home: Plain,
};
