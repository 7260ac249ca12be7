// The components for a lesson's prose, besides Markdown.

import { type ComponentType, lazy, type ReactNode, Suspense, use } from "react";
import { useWorkbenchState } from "../../app/context";
import { count } from "../../engine/format";
import type { ZoneView } from "../../engine/types";
import { readAt } from "../../lessons/readings";
import { knobOf } from "../../lessons/schema";
import { TERM_ATTRIBUTE, TERM_TAG } from "../../lessons/terms";
import { writeFragment } from "../../link/router";
import { afterFirstFigure } from "../../ui/first-figure";
import { RichText } from "../../ui/rich-text";
import { Term } from "../../ui/term";
import { Ask } from "./Ask";
import { LessonContext, useLesson, useLessonState } from "./context";
import { Filled } from "./Filled";
import { KnobChoice, KnobName } from "./KnobChoice";
import { Step } from "./Step";
import { PROSE } from "./words";

/** Components far down in a lesson load after the first figure, so that they do not delay it. */
function later<P extends object>(load: () => Promise<ComponentType<P>>) {
  const Later = lazy(async () => ({ default: await afterFirstFigure(load) }));
  return (props: P) => (
    <Suspense>
      <Later {...props} />
    </Suspense>
  );
}
const Construct = later(async () => (await import("./Construct")).Construct);
const Published = later(async () => (await import("./Published")).Published);
const Seeds = later(async () => (await import("./Seeds")).Seeds);

/** Words that move the stage to a moment. */
function At({ scene: id, children }: { scene: string; children: ReactNode }) {
  const controller = use(LessonContext);
  const scene = controller?.lesson.scenes[id];
  const isCurrent = useLessonState((state) => state.scene === scene);
  if (!controller || !scene) return children;
  return (
    <button
      type="button"
      className="at"
      aria-pressed={isCurrent}
      title={PROSE.showThisOnStage}
      onClick={() => void controller.show(scene)}
    >
      {children}
    </button>
  );
}

/** A knob in the prose: changing it moves the stage to the same moment of another run. */
function Turn({
  scene: id,
  knob: turned,
  values,
  say,
  children,
}: {
  scene: string;
  knob: string;
  /** Separated by spaces, or by "|" if values contain spaces. */
  values: string;
  /** A text about the moment, with placeholders for its numbers. */
  say?: string;
  children?: ReactNode;
}) {
  const controller = useLesson();
  const scene = controller.lesson.scenes[id];
  const current = useLessonState((state) => state.scene);
  const run = useLessonState((state) => state.sceneRun);
  const session = useWorkbenchState((state) => state.session);
  if (!scene) return null;
  const knob = knobOf(controller.lesson, turned);
  const choices = values.split(values.includes("|") ? "|" : " ");
  // Reads the numbers of this moment only, never those of another moment that the stage shows.
  const view = session?.experiment === run ? session?.frame?.view : undefined;
  const isThere =
    current?.experiment === scene.experiment &&
    JSON.stringify(current.at) === JSON.stringify(scene.at) &&
    choices.includes(current.set[turned] ?? "");
  return (
    <section className="marks" aria-label={PROSE.turnIt}>
      <div className="knobs">
        <KnobName knob={knob} />
        <KnobChoice
          knob={knob}
          values={choices}
          chosen={current?.set[turned] ?? null}
          choose={(value) =>
            void controller.show({ ...scene, set: { ...scene.set, [turned]: value } })
          }
        />
      </div>
      <p aria-live="polite">
        {say !== undefined && view && isThere && <Filled text={say} read={readAt(view)} />}
        {children}
      </p>
    </section>
  );
}

/**
 * The factor between the watermarks: changing it moves the watermarks on the stage, and a
 * calculation explains why.
 */
function Marks({ scene, values }: { scene: string; values: string }) {
  const factor = useLessonState((state) => state.scene?.set.factor);
  const zone = useWorkbenchState((state) => state.session?.frame?.view.zones[0]);
  return (
    <Turn scene={scene} knob="factor" values={values}>
      {zone && factor && <Sum zone={zone} factor={Number(factor)} />}
    </Turn>
  );
}

/** The calculation of a zone's watermarks from its size; the results are the machine's. */
function Sum({ zone: { managed, min, low, high }, factor }: { zone: ZoneView; factor: number }) {
  const quarter = Math.floor(min / 4);
  const share = Math.floor((managed * factor) / 10_000);
  return (
    <RichText
      text={PROSE.quarterOfMin(quarter, managed, factor, share)}
      parts={{
        b: <b>{count(low - min)}</b>,
        low: <b>{count(low)}</b>,
        high: <b>{count(high)}</b>,
      }}
    />
  );
}

function Home({ children }: { children: ReactNode }) {
  return <a href={writeFragment({ page: "home" })}>{children}</a>;
}

/** The origin of a sentence: read in source, published, or inferred here. */
function Origin({ children }: { children: ReactNode }) {
  return <small className="origin">{children}</small>;
}

/** A term of the glossary, at its first occurrence. */
function ProseTerm({
  [TERM_ATTRIBUTE]: id,
  children,
}: {
  [TERM_ATTRIBUTE]: string;
  children: ReactNode;
}) {
  return <Term id={id}>{children}</Term>;
}

/** The components of MDX. */
export const PROSE_COMPONENTS = {
  Step,
  At,
  Ask,
  Marks,
  Turn,
  Seeds,
  Construct,
  Published,
  Origin,
  Home,
  [TERM_TAG]: ProseTerm,
};
