import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { useRunViewModel } from "../app/run-view-model";
import { keepHeight } from "./height";
import { TIMELINE } from "./words";

/** How far one press of an arrow key moves the edge, px. */
const PRESS_PX = 24;

/**
 * The timeline's upper edge. The user drags it or moves it with arrow keys to show more lanes and
 * less of the machine. A double click or Home restores the height that fits the window. The browser
 * stores the height (`height`) for the next visit; links do not contain it.
 */
export function Grip() {
  const model = useRunViewModel();
  const grip = useRef<HTMLDivElement>(null);
  const from = useRef<{ y: number; height: number; given: number | null } | null>(null);
  /**
   * The height that a key requested before the next frame was laid out: the next key press starts
   * from it.
   */
  const asked = useRef<number | null>(null);
  const [height, setHeight] = useState(0);
  const heightOf = () => grip.current?.closest<HTMLElement>(".time")?.offsetHeight ?? 0;
  useEffect(() => {
    const box = grip.current?.closest<HTMLElement>(".time");
    if (!box || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => setHeight(box.offsetHeight));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const give = (asked_px: number | null) => {
    // A drag beyond the window counts as a drag to its edge.
    const chosen_px = asked_px && Math.round(Math.min(Math.max(asked_px, 1), window.innerHeight));
    model.layOut({ chosen_px });
    return chosen_px;
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowUp: PRESS_PX, ArrowDown: -PRESS_PX }[event.key];
    if (by === undefined && event.key !== "Home") return;
    event.preventDefault();
    event.stopPropagation();
    const given = give(by === undefined ? null : (asked.current ?? heightOf()) + by);
    asked.current = given;
    requestAnimationFrame(() => {
      asked.current = null;
    });
    keepHeight(given);
  };
  const drag = ({ clientY }: PointerEvent) => {
    const begun = from.current;
    if (begun) begun.given = give(begun.height + begun.y - clientY);
  };
  const end = () => {
    // A press without a movement changes nothing.
    if (from.current?.given) keepHeight(from.current.given);
    from.current = null;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line between two texts takes no keys
    <div
      ref={grip}
      role="separator"
      aria-orientation="horizontal"
      aria-label={TIMELINE.height}
      aria-valuemin={0}
      aria-valuemax={window.innerHeight}
      aria-valuenow={height}
      aria-valuetext={TIMELINE.pixels(height)}
      tabIndex={0}
      className="grip"
      title={TIMELINE.heightHelp}
      onKeyDown={press}
      onDoubleClick={() => keepHeight(give(null))}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { y: event.clientY, height: heightOf(), given: null };
      }}
      onPointerMove={drag}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}
