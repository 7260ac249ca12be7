// A step of the prose, as far as it is shown. Hidden parts are not on the page at all, so that no
// search, screen reader or printer finds them.

import { Children, isValidElement, type ReactNode, useRef } from "react";
import type { LessonStep } from "../../lessons/schema";
import { firstBefore, isRevealed } from "../../lessons/secret";
import { RichText } from "../../ui/rich-text";
import { Ask } from "./Ask";
import { useLesson, useLessonState } from "./context";
import { STEP } from "./words";

const headId = (id: string) => `head-${id}`;

/** Goes to a step's heading. */
export function goToStep(id: string) {
  const head = document.getElementById(headId(id));
  head?.scrollIntoView({ block: "start" });
  head?.focus({ preventScroll: true });
}

/** Splits a step into the part up to its question, and the explanation after it. */
export function partsOf(
  children: ReactNode,
  ask: unknown,
): { before: ReactNode[]; question: string | null; after: ReactNode[] } {
  const all = Children.toArray(children);
  const at = all.findIndex((each) => isValidElement(each) && each.type === ask);
  const asked = all[at];
  if (!isValidElement<{ id: string }>(asked)) return { before: all, question: null, after: [] };
  return { before: all.slice(0, at + 1), question: asked.props.id, after: all.slice(at + 1) };
}

/** A step's heading; on paper its id differs from that on the page. */
export function StepHead({ id, idOf = headId }: { id: string; idOf?: (id: string) => string }) {
  const { steps } = useLesson().lesson;
  const at = steps.findIndex((step) => step.id === id);
  return (
    <h2 id={idOf(id)} tabIndex={-1}>
      {steps[at]?.title}
      <small>{STEP.stepOf(at + 1, steps.length)}</small>
    </h2>
  );
}

/** A step: its heading, and the parts that are shown. */
export function Step({ id, children }: { id: string; children: ReactNode }) {
  const { lesson } = useLesson();
  const first = useLessonState((state) => firstBefore(lesson, state, id));
  const { before, question, after } = partsOf(children, Ask);
  return (
    <section className="step" id={`step-${id}`} data-step={id} aria-labelledby={headId(id)}>
      <StepHead id={id} />
      {first ? (
        <Waits id={id} first={first} />
      ) : (
        <>
          {before}
          {question !== null && <After question={question}>{after}</After>}
        </>
      )}
    </section>
  );
}

/** A step that waits for an answer to an earlier question. */
function Waits({ id, first }: { id: string; first: LessonStep }) {
  const controller = useLesson();
  const at = controller.lesson.steps.indexOf(first) + 1;
  return (
    <p className="locked-text">
      <span>
        <RichText
          text={STEP.firstQuestion(at)}
          parts={{
            title: (
              <button
                type="button"
                className="at"
                data-leads-to={first.id}
                onClick={() => goToStep(first.id)}
              >
                {first.title}
              </button>
            ),
          }}
        />
      </span>
      <button
        type="button"
        className="btn line"
        onClick={() => {
          // The button disappears: the heading above it takes the focus.
          document.getElementById(headId(id))?.focus({ preventScroll: true });
          controller.openStep(id);
        }}
      >
        {STEP.showMeAnyway}
      </button>
    </p>
  );
}

/** The explanation after a question, when it may be shown. */
function After({ question, children }: { question: string; children: ReactNode }) {
  const controller = useLesson();
  const isOpen = useLessonState((state) => isRevealed(state, question));
  const box = useRef<HTMLDivElement>(null);
  return (
    <div className="after" ref={box} tabIndex={-1}>
      {isOpen ? (
        children
      ) : (
        <p className="locked-text">
          <span>{STEP.resultOfRunAppears}</span>
          <button
            type="button"
            className="btn line"
            onClick={() => {
              box.current?.focus({ preventScroll: true });
              controller.reveal(question);
            }}
          >
            {STEP.showMeAnyway}
          </button>
        </p>
      )}
    </div>
  );
}
