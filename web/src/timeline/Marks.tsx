import { clock, duration } from "../draw/format";
import { useWorkbench, useWorkbenchState } from "../workbench/context";
import type { Disturbance } from "./disturbances";
import { AXIS_PX, type Scale } from "./frame";

const isIn = (time_ns: number, { from_ns, to_ns }: Scale) => time_ns >= from_ns && time_ns <= to_ns;

/** Bookmarks and what is done to the machine, on the row of times. */
export function Marks({
  scale,
  bottom,
  disturbances,
}: {
  scale: Scale;
  bottom: number;
  disturbances: readonly Disturbance[];
}) {
  const workbench = useWorkbench();
  const bookmarks = useWorkbenchState((state) => state.bookmarks);
  return (
    <>
      {disturbances
        .filter(({ time_ns }) => isIn(time_ns, scale))
        .map(({ time_ns, words }) => {
          const x = scale.x(time_ns);
          return (
            <g key={`${time_ns} ${words}`} className="disturbance">
              <title>{`${clock(time_ns)} s: ${words}`}</title>
              <line x1={x} x2={x} y1={AXIS_PX} y2={bottom} strokeDasharray="1 3" />
              <path d={`M${x} ${AXIS_PX - 9}l5 8h-10z`} />
            </g>
          );
        })}
      {bookmarks
        .filter(({ time_ns }) => isIn(time_ns, scale))
        .map(({ step, time_ns, note }) => {
          const x = scale.x(time_ns);
          const go = () => workbench.seek({ kind: "step", step });
          const words = `Bookmark at ${clock(time_ns)} s${note ? `: ${note}` : ""}`;
          return (
            // biome-ignore lint/a11y/useSemanticElements: SVG has no buttons
            <g
              key={step}
              className="bookmark"
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
              <path d={`M${x - 3.5} 3h7v11l-3.5 -3l-3.5 3z`} />
            </g>
          );
        })}
    </>
  );
}

/** The chosen range: a wash with a lid. */
export function Range({ scale, bottom }: { scale: Scale; bottom: number }) {
  const range = useWorkbenchState((state) => state.range);
  if (!range) return null;
  const [from, to] = [scale.within(range[0]), scale.within(range[1])];
  if (to <= from) return null;
  return (
    <g className="range">
      <title>{`Range of ${duration(range[1] - range[0])}`}</title>
      <rect x={from} y={AXIS_PX} width={to - from} height={bottom - AXIS_PX} />
      <path d={`M${from} ${bottom}V${AXIS_PX}H${to}V${bottom}`} fill="none" />
      <path d={`M${from} ${AXIS_PX}H${to}`} strokeWidth="2" fill="none" />
    </g>
  );
}
