// What a lesson's prose is written with, beside Markdown.

import { type ReactNode, use } from "react";
import { writeFragment } from "../link/router";
import { Ask } from "./Ask";
import { DeskContext, useDesk, useDeskState } from "./context";
import { Seeds } from "./Seeds";

function Step({ id, children }: { id: string; children: ReactNode }) {
  const { steps } = useDesk().lesson;
  const at = steps.findIndex((step) => step.id === id);
  return (
    <section className="step" id={`step-${id}`} data-step={id} aria-labelledby={`head-${id}`}>
      <h2 id={`head-${id}`} tabIndex={-1}>
        {steps[at]?.title}
        <small>
          step {at + 1} of {steps.length}
        </small>
      </h2>
      {children}
    </section>
  );
}

/** Words that bring the stage to a moment. */
function At({ scene: id, children }: { scene: string; children: ReactNode }) {
  const desk = use(DeskContext);
  const scene = desk?.lesson.scenes[id];
  const isShown = useDeskState((state) => state.scene === scene);
  if (!desk || !scene) return children;
  return (
    <button
      type="button"
      className="at"
      aria-pressed={isShown}
      title="Show this on the stage"
      onClick={() => void desk.show(scene)}
    >
      {children}
    </button>
  );
}

function Home({ children }: { children: ReactNode }) {
  return <a href={writeFragment({ page: "home" })}>{children}</a>;
}

/** The components MDX is given. */
export const PROSE_COMPONENTS = { Step, At, Ask, Seeds, Home };
