import type { PointerEvent } from "react";
import { useRunViewModel } from "../app/run-view-model";
import { rowFree, rowSince, type Series } from "../engine/rows";
import { LEFT_PX, STRIP_PX } from "./frame";
import { TIMELINE } from "./words";

/** Free pages of all zones together, as points of a line between `top` and `bottom`. */
export function sumPoints(
  series: Series,
  x: (time_ns: number) => number,
  top: number,
  bottom: number,
): string[] {
  const sums = Array.from({ length: series.length }, (_, row) =>
    Array.from({ length: series.zones }, (__, zone) => rowFree(series, row, zone)).reduce(
      (a, b) => a + b,
      0,
    ),
  );
  const most = Math.max(1, ...sums);
  return sums.map((sum, row) => {
    const y = bottom - (sum / most) * (bottom - top);
    return `${x(rowSince(series, row)).toFixed(1)} ${y.toFixed(1)}`;
  });
}

/**
 * The whole length of the run: the known part, the part that the chart above shows, and the
 * playhead.
 */
export function Strip({
  y,
  right,
  now_ns,
  known_ns,
  length_ns,
  window,
  series,
}: {
  y: number;
  right: number;
  now_ns: number;
  known_ns: number;
  length_ns: number;
  /** The part that the chart above shows, unless it shows everything known. */
  window: readonly [number, number] | null;
  series: Series;
}) {
  const model = useRunViewModel();
  // 0 before the timeline has been measured.
  const width = Math.max(0, right - LEFT_PX);
  const place = (time_ns: number) => LEFT_PX + (time_ns / length_ns) * width;
  const points = sumPoints(series, place, y, y + STRIP_PX);
  const slide = (event: PointerEvent<SVGRectElement>) => {
    if (!window || event.buttons !== 1) return;
    const box = event.currentTarget.getBoundingClientRect();
    const about = ((event.clientX - box.left) / (box.width || 1)) * length_ns;
    const wide = window[1] - window[0];
    const from = Math.round(Math.max(0, Math.min(known_ns - wide, about - wide / 2)));
    model.keep({ window: [from, from + wide] });
  };
  return (
    <g className="strip">
      <text x="16" y={y + 11}>
        {TIMELINE.wholeRunOf(length_ns)}
      </text>
      <rect x={LEFT_PX} y={y} width={width} height={STRIP_PX} className="strip-bed" />
      {points.length > 1 && (
        <path
          d={`M${LEFT_PX} ${y + STRIP_PX}L${points.join("L")}L${place(known_ns)} ${y + STRIP_PX}z`}
          fill="var(--free)"
        />
      )}
      {window && (
        <rect
          className="strip-window"
          x={place(window[0])}
          y={y - 1}
          width={Math.max(3, place(window[1]) - place(window[0]))}
          height={STRIP_PX + 2}
        />
      )}
      <rect
        x={place(now_ns) - 2}
        y={y - 2.5}
        width="4"
        height={STRIP_PX + 5}
        fill="var(--ground)"
        stroke="var(--ink-1)"
        strokeWidth="1.5"
      />
      <rect
        x={LEFT_PX}
        y={y - 5}
        width={width}
        height={STRIP_PX + 10}
        fill="transparent"
        className={window ? "strip-slide" : ""}
        onPointerDown={slide}
        onPointerMove={slide}
      />
    </g>
  );
}
