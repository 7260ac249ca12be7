// The figures of a handout: pictures of the stage at the scenes in the text. A separate stage makes
// them, with its own engine and a width that suits paper, so that the reader's stage does not
// change.

import { createContext, useEffect, useRef, useState } from "react";
import { useWorkbenchState, WorkbenchContext } from "../../../app/context";
import { Workbench } from "../../../app/controller";
import { usePaintedFrames } from "../../../app/painted";
import type { WorkbenchState } from "../../../app/store";
import { clock } from "../../../engine/format";
import { pngOf } from "../../../export/picture";
import { ReservePattern } from "../../../stage/ReservePattern";
import { TextStage } from "../../../stage/TextStage";
import { useLesson } from "../context";
import type { LessonController } from "../controller";
import { turnedWords } from "../LiveStage";
import { FIGURES } from "./words";

/** A scene, and the first step that refers to it. */
export interface FigureRequest {
  readonly scene: string;
  readonly step: string;
}

/** A picture of the stage at a scene. */
interface Figure {
  readonly number: number;
  /** The step that shows it. */
  readonly step: string;
  /** Its caption: title of the run, turned knobs, and time. */
  readonly words: string;
  /** The picture as a data address. */
  readonly src: string;
  /** Whether the picture takes the whole width of the page. */
  readonly isWide: boolean;
}

/** Figures by their scenes. */
export type Figures = ReadonlyMap<string, Figure>;

/** The figures for the prose; empty while they are being made. */
export const HandoutFigures = createContext<Figures>(new Map());

/** The longest time for a stage to reach a scene and be drawn, ms. */
const PATIENCE_MS = 30_000;
/** A stage counts as drawn when it has not changed for this time, ms. After `UNSETTLED_MS` it is drawn anyway. */
const SETTLED_MS = 120;
const UNSETTLED_MS = 5000;

interface BoothProps {
  readonly requests: readonly FigureRequest[];
  readonly say: (words: string) => void;
  readonly taken: (figures: Figures) => void;
}

/** Takes the pictures of some scenes, one after the other. */
export function FigureBooth({ requests, say, taken }: BoothProps) {
  const controller = useLesson();
  const box = useRef<HTMLDivElement>(null);
  const [bench, setBench] = useState<Workbench | null>(null);
  useEffect(() => {
    const made = new Workbench(undefined, { ownsAddress: false });
    const stop = new AbortController();
    setBench(made);
    void takeAll(controller, made, box, requests, say, stop.signal).then(
      (figures) => stop.signal.aborted || taken(figures),
    );
    return () => {
      stop.abort();
      made.dispose();
    };
  }, [controller, requests, say, taken]);
  return (
    <div
      className="live booth"
      ref={box}
      data-wide={isWide(controller) || undefined}
      data-motion="none"
      inert
      aria-hidden="true"
    >
      {bench && (
        <WorkbenchContext value={bench}>
          <Subject />
          <ReservePattern />
        </WorkbenchContext>
      )}
    </div>
  );
}

function Subject() {
  const { lesson } = useLesson();
  usePaintedFrames();
  const isOpen = useWorkbenchState((state) => Boolean(state.session?.frame));
  return isOpen && <TextStage about={lesson.stage} />;
}

async function takeAll(
  controller: LessonController,
  bench: Workbench,
  box: { readonly current: HTMLElement | null },
  requests: readonly FigureRequest[],
  say: (words: string) => void,
  signal: AbortSignal,
): Promise<Figures> {
  const figures = new Map<string, Figure>();
  for (const [i, { scene: id, step }] of requests.entries()) {
    say(FIGURES.handoutFigureOf(i + 1, requests.length));
    const scene = controller.lesson.scenes[id];
    const place = scene && (await controller.placeOf(scene));
    if (!place || signal.aborted) continue;
    bench.show(place.text, { kind: "step", step: place.step });
    const isThere = await until(bench, (state) => isAt(state, place), signal);
    const part = isThere ? await settled(box, signal) : null;
    const png = part && (await pngOf(part, null));
    const { session } = bench.store.getState();
    if (!png || !session?.frame || signal.aborted) continue;
    const { title } = session.info;
    // Keeps groups of digits and the unit on one line.
    const time = `${clock(session.frame.view.position.time_ns)} s`.replace(/\s/g, "\u00a0");
    figures.set(id, {
      number: figures.size + 1,
      step,
      words: [title, ...turnedWords(controller.lesson, scene.set), time].join(", "),
      src: await addressOf(png),
      isWide: isWide(controller),
    });
  }
  return figures;
}

/** Nodes with their CPUs are side by side: half the width of a page is too narrow for them. */
const isWide = ({ lesson }: LessonController): boolean => lesson.stage === "nodes";

const isAt = (
  { session }: WorkbenchState,
  { experiment, step }: { experiment: string; step: number },
): boolean => session?.experiment === experiment && session.frame?.view.position.step === step;

/** Waits until the stage reaches a state; false if it does not. */
function until(
  bench: Workbench,
  isSo: (state: WorkbenchState) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  if (isSo(bench.store.getState())) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (answer: boolean) => {
      unsubscribe();
      clearTimeout(timer);
      resolve(answer);
    };
    const timer = setTimeout(() => end(false), PATIENCE_MS);
    const unsubscribe = bench.store.subscribe((state) => {
      // Without an engine, or after a trap, the state is never reached.
      if (state.engine.kind === "unavailable" || state.trap) end(false);
      else if (isSo(state)) end(true);
    });
    signal.addEventListener("abort", () => end(false), { once: true });
  });
}

/** Resolves when the whole stage is drawn: some of its parts appear later than others. */
async function settled(
  box: { readonly current: HTMLElement | null },
  signal: AbortSignal,
): Promise<HTMLElement | null> {
  const begun = performance.now();
  let before = "";
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (signal.aborted) return null;
    const part = box.current?.querySelector<HTMLElement>(".stage") ?? null;
    const now = part?.innerHTML ?? "";
    const isLate = performance.now() - begun > UNSETTLED_MS;
    if (isLate || (part && now === before)) return part;
    before = now;
  }
}

/**
 * A picture as a data address, which the page's content policy allows; it forbids blob addresses.
 */
const addressOf = (png: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(png);
  });
