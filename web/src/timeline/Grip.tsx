import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";

/** How far one press of an arrow key moves the edge. */
const PRESS_PX = 24;

/**
 * The timeline's upper edge, which is dragged or moved by arrow keys: more lanes for less machine.
 * A double click or Home gives back what the window would give. The height is kept on the workbench,
 * where the stage's layout (`stage/room`) reads it; a link does not carry it, it belongs to a window.
 */
export function Grip() {
  const grip = useRef<HTMLDivElement>(null);
  const from = useRef<{ y: number; height: number } | null>(null);
  const [height, setHeight] = useState(0);
  const boxOf = () => grip.current?.closest<HTMLElement>(".time");
  const give = (px: number | null) => {
    const bench = grip.current?.closest<HTMLElement>(".workbench");
    const box = boxOf();
    if (!bench || !box) return;
    // The stage measures itself anew, and settles what there is room for.
    if (px === null) {
      delete bench.dataset.time;
      bench.style.removeProperty("--time");
    } else {
      bench.dataset.time = String(Math.round(px));
      bench.style.setProperty("--time", `${Math.round(px)}px`);
    }
    requestAnimationFrame(() => setHeight(box.offsetHeight));
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowUp: PRESS_PX, ArrowDown: -PRESS_PX }[event.key];
    if (by === undefined && event.key !== "Home") return;
    event.preventDefault();
    event.stopPropagation();
    give(by === undefined ? null : (boxOf()?.offsetHeight ?? 0) + by);
  };
  const drag = (event: PointerEvent) => {
    const begun = from.current;
    if (begun) give(begun.height + begun.y - event.clientY);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line between two texts takes no keys
    <div
      ref={grip}
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the timeline"
      aria-valuemin={0}
      aria-valuemax={window.innerHeight}
      aria-valuenow={height || (boxOf()?.offsetHeight ?? 0)}
      aria-valuetext={`${height || (boxOf()?.offsetHeight ?? 0)} px`}
      tabIndex={0}
      className="grip"
      title="Drag for more lanes, double click for as many as fit"
      onKeyDown={press}
      onDoubleClick={() => give(null)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { y: event.clientY, height: boxOf()?.offsetHeight ?? 0 };
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        from.current = null;
      }}
      onPointerCancel={() => {
        from.current = null;
      }}
    />
  );
}
