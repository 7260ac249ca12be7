import { useMemo } from "react";
import { freePaths, rowBefore } from "../draw/series";
import { tankLayout } from "../draw/tank";
import { joined } from "../engine/log";
import { readSeries, rowOf } from "../engine/rows";
import type { ZoneView } from "../engine/types";
import { LEVELS } from "./words";
import { BOTTOM_PX, HEIGHT_PX, TOP_PX } from "./ZoneTank";

/** Time span of the history. */
const WINDOW_NS = 1e6;
/** The torn edge of a tank reduces its scale by this much. */
const TORN_PX = 4;
const RIGHT_PX = 6;

/**
 * A zone's free pages over the last milliseconds, with the tank's scale and watermarks. The future
 * is not drawn, even if the run is known.
 */
export function Levels({
  timeline,
  zone,
  now_ns,
  width,
}: {
  timeline: Float64Array;
  zone: ZoneView;
  now_ns: number;
  width: number;
}) {
  const t = tankLayout({ ...zone, kept_back: 0, mark: "" }, TOP_PX, BOTTOM_PX);
  const from_ns = Math.max(0, now_ns - WINDOW_NS);
  const drawn = useMemo(() => {
    const series = upTo(timeline, now_ns, zone.free);
    const scale = width - RIGHT_PX;
    const x = (time_ns: number) =>
      Math.max(0, ((time_ns - from_ns) / Math.max(1, now_ns - from_ns)) * scale);
    return freePaths(series, 0, t.scale_pages, x, [TOP_PX + TORN_PX, BOTTOM_PX]);
  }, [timeline, now_ns, from_ns, zone.free, t.scale_pages, width]);
  if (width < 120) return null;
  const words = LEVELS.freePagesOverLast(now_ns - from_ns);
  return (
    <svg className="levels" width={width} height={HEIGHT_PX} role="img" aria-label={words}>
      <text x="0" y="9" className="mk dim">
        {words}
      </text>
      <path d={drawn.area} fill="var(--free)" />
      {t.marks.map(({ name, y, dash }) => (
        <line
          key={name}
          x1="0"
          x2={width - RIGHT_PX}
          y1={y}
          y2={y}
          stroke="var(--ink-2)"
          strokeDasharray={dash}
        />
      ))}
      <path d={drawn.line} fill="none" stroke="var(--ink-1)" strokeWidth="1.5" />
      <circle cx={width - RIGHT_PX} cy={drawn.y(zone.free)} r="3" fill="var(--ink-1)" />
      <line x1="0" x2={width - RIGHT_PX} y1={BOTTOM_PX} y2={BOTTOM_PX} stroke="var(--ink-3)" />
    </svg>
  );
}

/** The rows up to now, followed by the present value. */
function upTo(timeline: Float64Array, now_ns: number, free: number) {
  const all = readSeries(timeline, 1);
  const count = all.length === 0 ? 0 : rowBefore(all, now_ns) + 1;
  const last = rowOf({ step: 0, time_ns: now_ns, free: [free] });
  return readSeries(joined([timeline.subarray(0, all.starts[count]), last]), 1);
}
