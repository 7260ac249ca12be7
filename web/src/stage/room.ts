// How much room the machine has, and its layout in that room.

import { type CSSProperties, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { type Arrangement, arrange } from "../draw/arrange";
import { usePhone } from "../ui/fit";

const MAX_ZOOM = 1.6;
/** Width of the stage as designed: two nodes of 512, the gap and the margins. */
const DESIGNED_PX = 1080;
/** A scroll bar may take this much of the stage; the layout does not depend on whether it does. */
const SCROLL_BAR_PX = 16;

/** The stage's two elements, and how the inner one is laid out in the outer. */
export interface Room {
  readonly main: RefObject<HTMLElement | null>;
  readonly machine: RefObject<HTMLDivElement | null>;
  readonly arrangement: Arrangement;
  readonly style: CSSProperties;
}

/** Lays out nodes with so many zones each in the stage, and again when its size changes. */
export function useRoom(nodes: number, zones: number): Room {
  const main = useRef<HTMLElement>(null);
  const machine = useRef<HTMLDivElement>(null);
  const isPhone = usePhone();
  const { stage_px, zoom } = useMeasured(main, machine, isPhone);
  const arrangement = arrange(stage_px, { nodes, zones, isPhone });
  return { main, machine, arrangement, style: machineStyle(arrangement, zoom) };
}

const machineStyle = (
  { width_px, node_px, zones_abreast, zone_px }: Arrangement,
  zoom: number,
): CSSProperties & Record<`--${string}`, string | number> => ({
  width: width_px,
  zoom,
  "--node": `${node_px}px`,
  "--zones": zones_abreast,
  "--zone": `${zone_px}px`,
});

/** The stage's width, and how much larger a large window shows the same picture. */
function useMeasured(
  main: RefObject<HTMLElement | null>,
  machine: RefObject<HTMLElement | null>,
  isPhone: boolean,
): { stage_px: number; zoom: number } {
  const [room, setRoom] = useState({ stage_px: DESIGNED_PX, zoom: 1 });
  useLayoutEffect(() => {
    const outer = main.current;
    const inner = machine.current;
    if (!outer || !inner || typeof ResizeObserver === "undefined") return;
    const measure = () => {
      const { offsetWidth, clientWidth, clientHeight } = outer;
      // Without a layout there is nothing to fit.
      if (offsetWidth === 0) return;
      const down = clientHeight / inner.offsetHeight;
      const within = Math.min((clientWidth - SCROLL_BAR_PX) / (DESIGNED_PX - SCROLL_BAR_PX), down);
      const zoom = isPhone ? 1 : Math.max(1, Math.floor(Math.min(within, MAX_ZOOM) * 100) / 100);
      const stage_px = zoom > 1 ? DESIGNED_PX : offsetWidth;
      setRoom((last) =>
        last.stage_px === stage_px && last.zoom === zoom ? last : { stage_px, zoom },
      );
    };
    const observer = new ResizeObserver(measure);
    observer.observe(outer);
    observer.observe(inner);
    measure();
    return () => observer.disconnect();
  }, [main, machine, isPhone]);
  return room;
}
