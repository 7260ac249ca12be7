// A lesson's handout: the text before the first prediction, its figures, and every question with
// space to write. The handout is on the page only while it is printed, and visible only in print.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Prose } from "../../../lessons/load";
import { useLesson } from "../context";
import { FigureBooth, type FigureRequest, type Figures, HandoutFigures } from "./figures";
import { isTooLong, TIGHTEST } from "./length";
import { PAPER_COMPONENTS } from "./paper";
import { SheetHead, type SheetProps, useLightTheme, usePrinting } from "./sheet";
import "./handout.css";
import { RichText } from "../../../ui/rich-text";
import { HANDOUT } from "./words";

/** The handout. It prints when its figures are ready and it is short enough. */
export function Handout({ Prose, address, say, printed }: SheetProps & { Prose: Prose }) {
  const { title } = useLesson().lesson;
  const sheet = useRef<HTMLDivElement>(null);
  const [requests, setRequests] = useState<readonly FigureRequest[] | null>(null);
  const [figures, setFigures] = useState<Figures | null>(null);
  const [tightness, setTightness] = useState(0);
  const [isReady, setReady] = useState(false);
  useLightTheme();
  useEffect(() => setRequests(sheet.current ? figureRequests(sheet.current) : []), []);
  const taken = useCallback((made: Figures) => setFigures(made), []);
  useLayoutEffect(() => {
    const element = sheet.current;
    if (!figures || !element || isReady) return;
    let isOver = false;
    void loaded(element).then(() => {
      if (isOver) return;
      if (isTooLong(element) && tightness < TIGHTEST) setTightness(tightness + 1);
      else setReady(true);
    });
    return () => {
      isOver = true;
    };
  }, [figures, tightness, isReady]);
  usePrinting(isReady, printed);
  return (
    <>
      {requests && !figures && <FigureBooth requests={requests} say={say} taken={taken} />}
      <div
        className="handout"
        ref={sheet}
        data-tight={tightness}
        data-measured={!isReady || undefined}
      >
        <SheetHead title={title} address={address}>
          <p className="whose">
            <RichText text={HANDOUT.nameDate} parts={{ i: <i />, i2: <i /> }} />
          </p>
        </SheetHead>
        <p className="how">{HANDOUT.predictFirstThenRun}</p>
        <HandoutFigures value={figures ?? NONE}>
          <Prose components={PAPER_COMPONENTS} />
        </HandoutFigures>
      </div>
    </>
  );
}

const NONE: Figures = new Map();

/**
 * The scenes in the text of a sheet, without repetition; if there are none, the scene of the first
 * step.
 */
function figureRequests(sheet: HTMLElement): FigureRequest[] {
  const of = (name: "scenes" | "own") => {
    const first = new Map<string, string>();
    for (const { dataset } of sheet.querySelectorAll<HTMLElement>(".figs")) {
      for (const scene of dataset[name]?.split(" ").filter(Boolean) ?? []) {
        if (!first.has(scene)) first.set(scene, dataset.of ?? "");
      }
    }
    return [...first].map(([scene, step]) => ({ scene, step }));
  };
  const referred = of("scenes");
  return referred.length > 0 ? referred : of("own");
}

/** Waits until the pictures of a sheet can be laid out. */
const loaded = (sheet: HTMLElement): Promise<unknown> =>
  Promise.all([...sheet.querySelectorAll("img")].map((image) => image.decode().catch(() => {})));
