import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { useRunViewModel } from "../app/run-view-model";
import { clock } from "../engine/format";
import { HoverAt, momentNear } from "./events";
import { AXIS_PX, type Scale, zoomed } from "./frame";
import { TIMELINE } from "./words";

/** The playhead, the surface on which it is dragged, and the row of times for choosing ranges. */
export function Scrubber({
  scale,
  now_ns,
  known_ns,
  bottom,
}: {
  scale: Scale;
  now_ns: number;
  /** The end of the known run: the playhead does not go beyond it. */
  known_ns: number;
  bottom: number;
}) {
  const { left, right } = scale;
  const isVisible = now_ns >= scale.from_ns && now_ns <= scale.to_ns;
  const at = scale.x(now_ns);
  const width = Math.max(0, right - left);
  return (
    <>
      {isVisible && (
        <g className="playhead">
          <line x1={at} x2={at} y1="4" y2={bottom} stroke="var(--ink-1)" strokeWidth="1.5" />
          <path d={`M${at - 5} 2h10v6l-5 5l-5 -5z`} fill="var(--ink-1)" />
        </g>
      )}
      <Slider scale={scale} now_ns={now_ns} known_ns={known_ns} height={bottom} />
      <RangeRow scale={scale} known_ns={known_ns} width={width} />
    </>
  );
}

const timeAt = (event: PointerEvent<SVGElement>, { from_ns, to_ns }: Scale): number => {
  const box = event.currentTarget.getBoundingClientRect();
  return from_ns + ((event.clientX - box.left) / (box.width || 1)) * (to_ns - from_ns);
};

const between = (least: number, value: number, most: number) =>
  Math.round(Math.max(least, Math.min(most, value)));

function Slider({
  scale,
  now_ns,
  known_ns,
  height,
}: {
  scale: Scale;
  now_ns: number;
  known_ns: number;
  height: number;
}) {
  const model = useRunViewModel();
  const isDragging = useRef(false);
  /** The position of a press that is not yet a drag. */
  const pressed = useRef<number | null>(null);
  const [hovered_ns, setHovered] = useState<number | null>(null);
  const length_ns = scale.to_ns - scale.from_ns;
  const go = (time_ns: number) =>
    model.transport.seek({ kind: "time", time_ns: between(0, time_ns, known_ns) });
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowRight: now_ns + length_ns / (event.shiftKey ? 10 : 100),
      ArrowLeft: now_ns - length_ns / (event.shiftKey ? 10 : 100),
      PageUp: now_ns + length_ns / 10,
      PageDown: now_ns - length_ns / 10,
      Home: 0,
      End: known_ns,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  /** A press goes to the event at its position. It is not yet a drag. */
  const press = (time_ns: number) => {
    const { story } = model.store.getState();
    const moment = momentNear(story.moments, time_ns, scale);
    if (moment) model.transport.seek({ kind: "step", step: moment.step });
    else go(time_ns);
  };
  const slider = (
    <rect
      className="scrub"
      role="slider"
      tabIndex={0}
      aria-label={TIMELINE.playhead}
      aria-valuemin={0}
      aria-valuemax={known_ns}
      aria-valuenow={Math.round(now_ns)}
      aria-valuetext={`${clock(now_ns)} s`}
      x={scale.left}
      y="0"
      width={Math.max(0, scale.right - scale.left)}
      height={height}
      onKeyDown={onKeyDown}
      onFocus={({ currentTarget }) => {
        // The scrubber is higher than its container, so the browser would scroll the first lanes
        // out of view.
        if (!currentTarget.matches(":focus-visible")) return;
        requestAnimationFrame(() => currentTarget.closest(".time")?.scrollTo(0, 0));
      }}
      onWheel={(event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        const box = event.currentTarget.getBoundingClientRect();
        const share = (event.clientX - box.left) / (box.width || 1);
        const about = scale.from_ns + share * length_ns;
        const by = event.deltaY > 0 ? 1.5 : 1 / 1.5;
        model.keep({ window: zoomed([scale.from_ns, scale.to_ns], about, by, known_ns) });
      }}
      onPointerDown={(event) => {
        pressed.current = event.clientX;
        event.currentTarget.setPointerCapture(event.pointerId);
        setHovered(null);
        press(timeAt(event, scale));
      }}
      onPointerMove={(event) => {
        const from = pressed.current;
        if (from !== null && Math.abs(event.clientX - from) >= LEAST_DRAG_PX)
          isDragging.current = true;
        if (isDragging.current) go(timeAt(event, scale));
        else if (event.pointerType === "mouse")
          setHovered(between(0, timeAt(event, scale), known_ns));
      }}
      onPointerLeave={() => setHovered(null)}
      onPointerUp={() => {
        isDragging.current = false;
        pressed.current = null;
      }}
    />
  );
  return (
    <>
      {hovered_ns !== null && <HoverAt scale={scale} time_ns={hovered_ns} bottom={height} />}
      {slider}
    </>
  );
}

/** A shorter movement counts as a press, px. */
const LEAST_DRAG_PX = 3;

/** A drag along the times chooses a range; the keys I and O set its ends at the playhead. */
function RangeRow({ scale, known_ns, width }: { scale: Scale; known_ns: number; width: number }) {
  const model = useRunViewModel();
  const begun = useRef<{ x: number; time_ns: number } | null>(null);
  return (
    <rect
      className="range-row"
      x={scale.left}
      y="0"
      width={width}
      height={AXIS_PX}
      onPointerDown={(event) => {
        begun.current = { x: event.clientX, time_ns: timeAt(event, scale) };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const from = begun.current;
        if (!from || Math.abs(event.clientX - from.x) < LEAST_DRAG_PX) return;
        const ends = [from.time_ns, timeAt(event, scale)].map((t) => between(0, t, known_ns));
        model.keep({ range: [Math.min(...ends), Math.max(...ends)] });
      }}
      onPointerUp={(event) => {
        const isPress = begun.current && Math.abs(event.clientX - begun.current.x) < LEAST_DRAG_PX;
        begun.current = null;
        if (isPress) {
          const time_ns = between(0, timeAt(event, scale), known_ns);
          model.transport.seek({ kind: "time", time_ns });
        }
      }}
    />
  );
}
