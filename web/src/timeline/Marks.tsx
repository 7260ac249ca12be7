import type { ReactNode } from "react";
import { useRunViewModel, useRunViewState } from "../app/run-view-model";
import type { Disturbance } from "../experiment/disturbances";
import { useFallbacks } from "./fallbacks";
import { AXIS_PX, type Scale } from "./frame";
import { MARKS } from "./words";

const isIn = (time_ns: number, { from_ns, to_ns }: Scale) => time_ns >= from_ns && time_ns <= to_ns;

/** Bookmarks, interventions, and the first fallback from each node to another, on the row of
 * times. */
export function Marks({
  scale,
  bottom,
  disturbances,
}: {
  scale: Scale;
  bottom: number;
  disturbances: readonly Disturbance[];
}) {
  const bookmarks = useRunViewState((state) => state.bookmarks);
  const fallbacks = useFallbacks();
  return (
    <>
      {disturbances
        .filter(({ time_ns }) => isIn(time_ns, scale))
        .map(({ time_ns, words }) => {
          const x = scale.x(time_ns);
          return (
            <g key={`${time_ns} ${words}`} className="disturbance">
              <title>{MARKS.disturbance(time_ns, words)}</title>
              <line x1={x} x2={x} y1={AXIS_PX} y2={bottom} strokeDasharray="1 3" />
              <path d={`M${x} ${AXIS_PX - 9}l5 8h-10z`} />
            </g>
          );
        })}
      {fallbacks
        .filter(({ time_ns }) => isIn(time_ns, scale))
        .map(({ node, step, time_ns, zone }) => {
          const [other = ""] = zone.split("/");
          const words = MARKS.fallback(node, other, time_ns);
          const x = scale.x(time_ns);
          return (
            <MarkButton key={node} look="fallback" x={x} step={step} words={words}>
              <line x1={x} x2={x} y1={AXIS_PX} y2={bottom} strokeDasharray="4 2" />
              <path d={`M${x} 2l5 6l-5 6l-5 -6z`} />
            </MarkButton>
          );
        })}
      {bookmarks
        .filter(({ time_ns }) => isIn(time_ns, scale))
        .map(({ step, time_ns, note }) => {
          const words = MARKS.bookmark(time_ns, note);
          const x = scale.x(time_ns);
          return (
            <MarkButton key={step} look="bookmark" x={x} step={step} words={words}>
              <path d={`M${x - 3.5} 3h7v11l-3.5 -3l-3.5 3z`} />
            </MarkButton>
          );
        })}
    </>
  );
}

/** A mark on the row of times; a click goes to its step. */
function MarkButton({
  look,
  x,
  step,
  words,
  children,
}: {
  look: string;
  x: number;
  step: number;
  words: string;
  children: ReactNode;
}) {
  const model = useRunViewModel();
  const go = () => model.transport.seek({ kind: "step", step });
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no buttons
    <g
      className={look}
      role="button"
      tabIndex={0}
      aria-label={words}
      onClick={go}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        go();
      }}
    >
      <title>{words}</title>
      <rect x={x - 12} y="0" width="24" height={AXIS_PX + 6} fill="transparent" />
      {children}
    </g>
  );
}

/** The chosen range: a shaded area with a bar on top. */
export function Range({ scale, bottom }: { scale: Scale; bottom: number }) {
  const range = useRunViewState((state) => state.range);
  if (!range) return null;
  const [from, to] = [scale.within(range[0]), scale.within(range[1])];
  if (to <= from) return null;
  return (
    <g className="range">
      <title>{MARKS.range(range[1] - range[0])}</title>
      <rect x={from} y={AXIS_PX} width={to - from} height={bottom - AXIS_PX} />
      <path d={`M${from} ${bottom}V${AXIS_PX}H${to}V${bottom}`} fill="none" />
      <path d={`M${from} ${AXIS_PX}H${to}`} strokeWidth="2" fill="none" />
    </g>
  );
}
