// What a lesson's prose is written with, beside Markdown.

import { type ReactNode, use } from "react";
import { count } from "../draw/format";
import type { ZoneView } from "../engine/types";
import { writeFragment } from "../link/router";
import { useWorkbenchState } from "../workbench/context";
import { Ask } from "./Ask";
import { DeskContext, useDesk, useDeskState } from "./context";
import { FactorChoice } from "./FactorChoice";
import { Seeds } from "./Seeds";
import { TUNABLE } from "./schema";

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

/** The tunable in the prose: turning it moves the marks on the stage, and the sum says why. */
function Marks({ scene: id, factors }: { scene: string; factors: string }) {
  const desk = useDesk();
  const scene = desk.lesson.scenes[id];
  const shown = useDeskState((state) => state.scene?.factor);
  const zone = useWorkbenchState((state) => state.session?.frame?.view.zones[0]);
  if (!scene) return null;
  return (
    <section className="marks" aria-label="Turn it">
      <div className="knobs">
        <code>{TUNABLE}</code>
        <FactorChoice
          factors={factors.split(" ")}
          chosen={shown ?? null}
          choose={(factor) => void desk.show({ ...scene, factor })}
        />
      </div>
      <p aria-live="polite">{zone && shown && <Sum zone={zone} factor={Number(shown)} />}</p>
    </section>
  );
}

/** How the marks of a zone follow from its size; the marks themselves are the machine's. */
function Sum({ zone: { managed, min, low, high }, factor }: { zone: ZoneView; factor: number }) {
  const quarter = Math.floor(min / 4);
  const share = Math.floor((managed * factor) / 10_000);
  return (
    <>
      A quarter of min is {quarter}; {count(managed)} pages × {factor} / 10,000 is {share}. The step
      is <b>{count(low - min)}</b>: low <b>{count(low)}</b>, high <b>{count(high)}</b>.
    </>
  );
}

function Home({ children }: { children: ReactNode }) {
  return <a href={writeFragment({ page: "home" })}>{children}</a>;
}

/** The components MDX is given. */
export const PROSE_COMPONENTS = { Step, At, Ask, Marks, Seeds, Home };
