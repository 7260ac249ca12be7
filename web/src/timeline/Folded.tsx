import { AXIS_PX, scaleOf } from "./frame";
import { Scrubber } from "./Scrubber";
import { sumPoints } from "./Strip";
import type { ChartProps } from "./Timeline";
import { TIMELINE } from "./words";

/** The height of a timeline folded to one line, and the width for its name and the known time. */
const FOLDED_PX = 36;
const FOLDED_LEFT_PX = 112;
const FOLDED_RIGHT_PX = 72;

/** The timeline as one line: free pages of the whole machine, and the playhead. */
export function Folded({ series, width, known_ns, now_ns }: ChartProps) {
  const right = width - FOLDED_RIGHT_PX;
  const scale = scaleOf(0, known_ns, FOLDED_LEFT_PX, right);
  const [top, bottom] = [8, FOLDED_PX - 8];
  const points = sumPoints(series, scale.x, top, bottom);
  const nowX = scale.x(now_ns);
  return (
    <svg className="chart" aria-label={TIMELINE.folded} width={width} height={FOLDED_PX}>
      <rect
        x={FOLDED_LEFT_PX}
        y={top}
        width={Math.max(0, right - FOLDED_LEFT_PX)}
        height={bottom - top}
        className="strip-bed"
      />
      {points.length > 1 && (
        <path
          d={`M${FOLDED_LEFT_PX} ${bottom}L${points.join("L")}V${bottom}z`}
          fill="var(--free)"
        />
      )}
      <rect
        x={nowX}
        y={AXIS_PX}
        width={Math.max(0, right - nowX)}
        height={bottom - AXIS_PX}
        className="ahead"
      />
      <Scrubber scale={scale} now_ns={now_ns} known_ns={known_ns} bottom={bottom} />
    </svg>
  );
}
