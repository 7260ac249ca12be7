// The moments of the story on the row of times, and the one under the pointer.

import { useMemo } from "react";
import { useRunViewState } from "../app/run-view-model";
import { clock } from "../engine/format";
import { type Moment, textOf } from "../story/telling";
import { AXIS_PX, type Scale } from "./frame";

/** A press goes to a moment at most this far away, px. */
const NEAR_PX = 6;

/** The moment nearest to a time; null if none is close enough. */
export function momentNear(
  moments: readonly Moment[],
  time_ns: number,
  { x }: Pick<Scale, "x">,
): Moment | null {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle]?.time_ns ?? 0) >= time_ns) high = middle;
    else low = middle + 1;
  }
  const both = [moments[low - 1], moments[low]].filter((moment) => moment !== undefined);
  const far = (moment: Moment) => Math.abs(x(moment.time_ns) - x(time_ns));
  const [nearest] = both.sort((a, b) => far(a) - far(b));
  return nearest && far(nearest) <= NEAR_PX ? nearest : null;
}

/** A tick for each moment; moments on the same pixel share one. */
export function MomentTicks({ scale }: { scale: Scale }) {
  const moments = useRunViewState((state) => state.story.moments);
  const path = useMemo(() => {
    const places = new Set<number>();
    for (const { time_ns } of moments)
      if (time_ns >= scale.from_ns && time_ns <= scale.to_ns)
        places.add(Math.round(scale.x(time_ns)));
    return [...places].map((x) => `M${x + 0.5} ${AXIS_PX - 4}v4`).join("");
  }, [moments, scale]);
  return <path className="moment-ticks" d={path} />;
}

/** The target of a press at the pointer: its time, and the event there. */
export function HoverAt({
  scale,
  time_ns,
  bottom,
}: {
  scale: Scale;
  time_ns: number;
  bottom: number;
}) {
  const moments = useRunViewState((state) => state.story.moments);
  const moment = momentNear(moments, time_ns, scale);
  const at_ns = moment?.time_ns ?? time_ns;
  const x = scale.x(at_ns);
  const isRight = x > (scale.left + scale.right) / 2;
  return (
    <g className="hover-at">
      <line x1={x} x2={x} y1={AXIS_PX} y2={bottom} />
      <text x={isRight ? x - 5 : x + 5} y={AXIS_PX + 11} textAnchor={isRight ? "end" : "start"}>
        {clock(at_ns)} s{moment ? `: ${textOf(moment.sentence)}` : ""}
      </text>
    </g>
  );
}
