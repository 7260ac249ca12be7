// How much room the machine has, and its layout in that room.

import {
  type CSSProperties,
  type Dispatch,
  type RefObject,
  type SetStateAction,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { type Arrangement, arrange } from "../draw/arrange";
import { beforeDrawing } from "../ui/before-drawing";
import { isBeside, isLowWindow, useFit } from "../ui/fit";

const MAX_ZOOM = 1.6;
/** For a projector the machine is a little larger than all else, where there is room for that. */
const PROJECTED_ZOOM = 1.07;
/** Width of the stage as designed: two nodes of 512, the gap and the margins. */
const DESIGNED_PX = 1080;
/** A scroll bar may take this much of the stage; the layout does not depend on whether it does. */
const SCROLL_BAR_PX = 16;
/** Stages lower than this have no room for large tiles. */
const LOW_PX = 720;

/** The stage's two elements, and how the inner one is laid out in the outer. */
export interface Room {
  readonly main: RefObject<HTMLElement | null>;
  readonly machine: RefObject<HTMLDivElement | null>;
  readonly arrangement: Arrangement;
  /** Is it time for all of the machine, or for its zones only? */
  readonly isWhole: boolean;
  readonly style: CSSProperties;
}

/**
 * Lays out nodes with so many zones each in the stage, and again when its size changes; a pair of
 * nodes stands side by side even where it is narrow. The zones are built first, and what lies below
 * them when `isRestNow`. An outline says how high the machine in its place is going to be.
 */
export function useRoom(
  nodes: number,
  zones: number,
  {
    isPair = false,
    isRestNow = true,
    outline_px = 0,
  }: { isPair?: boolean; isRestNow?: boolean; outline_px?: number } = {},
): Room {
  const main = useRef<HTMLElement>(null);
  const machine = useRef<HTMLDivElement>(null);
  const { look } = useFit();
  const isPhone = look === "phone";
  const [room, setRoom] = useState(lastRoom);
  const { stage_px, zoom, isLow } = room;
  const arrangement = arrange(stage_px, { nodes, zones, isPhone, isLow, isPair });
  // Where nodes or a text stand below others, they would move in between.
  const isWhole = isRestNow || !isBeside(look) || arrangement.abreast < nodes;
  useMeasured(isWhole, outline_px, { main, machine, setRoom });
  return { main, machine, arrangement, isWhole, style: machineStyle(arrangement, zoom) };
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

/** What is known of the room. */
interface Measured {
  readonly stage_px: number;
  /** How much larger a large window shows the same picture. */
  readonly zoom: number;
  readonly isLow: boolean;
}

type SetRoom = Dispatch<SetStateAction<Measured>>;

/** Height of a timeline that was given no more. */
const TIME_PX = 121;
/** What it has in a window that is not low until its lanes are known: what most machines' take. */
const FIRST_TIME_PX = 183;
/** A stage is enlarged only where the timeline shows the lanes of a teaching machine whole. */
const USUAL_TIME_PX = 248;
/** In a low window the timeline has lanes that changed only, and no more than this of the stage. */
const LOW_TIME_PX = 148;
/** So low is a projector's window, in its own pixels. */
const LOW_PROJECTED_PX = 700;
/** More lanes than this are scrolled to. */
const MOST_TIME_PX = 420;
/** A person who enlarges the timeline keeps so much of the stage in sight. */
const LEAST_STAGE_PX = 160;

/** How much of the stage's height the timeline has been given. */
function givenToTime(stage: HTMLElement): number {
  const bench = stage.closest<HTMLElement>(".workbench");
  if (!bench) return 0;
  const first = isLowWindow() ? TIME_PX : FIRST_TIME_PX;
  return (Number.parseInt(bench.style.getPropertyValue("--time"), 10) || first) - TIME_PX;
}

/** The height a person gave the timeline (`timeline/Grip`), or null. */
function chosenTime(stage: HTMLElement, most_px: number): number | null {
  const chosen = Number(stage.closest<HTMLElement>(".workbench")?.dataset.time);
  return chosen > 0 ? Math.max(TIME_PX, Math.min(chosen, most_px)) : null;
}

/** The height the timeline's lanes take (`timeline/wanted`), as far as it is theirs to ask for. */
function wantedByTime({ dataset }: HTMLElement, isLow: boolean): number {
  return isLow
    ? Math.min(LOW_TIME_PX, Number(dataset.changed) || TIME_PX)
    : Math.min(USUAL_TIME_PX, Number(dataset.lanes) || FIRST_TIME_PX);
}

/**
 * What the stage does not need, the timeline gets, and what its lanes take in any case, unless a person
 * chose; folded it stays one line.
 */
function giveToTime(stage: HTMLElement, spare_px: number, chosen_px: number | null): void {
  const bench = stage.closest<HTMLElement>(".workbench");
  if (!bench) return;
  const isFolded = bench.dataset.folded !== undefined;
  const isProjected = bench.dataset.projector !== undefined;
  const isLow = isProjected ? bench.clientHeight < LOW_PROJECTED_PX : isLowWindow();
  const given = Math.min(MOST_TIME_PX, TIME_PX + Math.max(0, Math.floor(spare_px)));
  const spared = Math.max(given, wantedByTime(bench, isLow));
  bench.style.setProperty("--time", `${isFolded ? TIME_PX : (chosen_px ?? spared)}px`);
}

/** Height of the machine a first visit sees, where there is room for all of it. */
export const MACHINE_PX = 703;
/** Has any stage been measured? Zones that come before the outline was would be drawn by a guess. */
let isMeasured = false;

/**
 * As last measured: what shows next in its place, the machine after its outline, begins with it. Before
 * that a stage is never wider than its window: where it takes all of it, it is right at once.
 */
let lastRoom: Measured = {
  stage_px: Math.min(DESIGNED_PX, window.innerWidth),
  zoom: 1,
  isLow: false,
};

/** Measures the stage as the browser has laid it out, once it is whole, or nobody has before. */
function useMeasured(
  isWhole: boolean,
  outline_px: number,
  { main, machine, setRoom }: Pick<Room, "main" | "machine"> & { setRoom: SetRoom },
): void {
  const { look, hasTouch, isProjector } = useFit();
  const isPhone = look === "phone";
  useLayoutEffect(() => {
    const outer = main.current;
    const inner = machine.current;
    if (!outer || !inner || typeof ResizeObserver === "undefined") return;
    if (!isWhole && isMeasured) return;
    const measure = () => {
      const { offsetWidth, clientWidth } = outer;
      // Without a layout there is nothing to fit.
      if (offsetWidth === 0) return;
      const clientHeight = outer.clientHeight + givenToTime(outer);
      const chosen_px = chosenTime(outer, clientHeight + TIME_PX - LEAST_STAGE_PX);
      isMeasured = true;
      const machine_px = outline_px || (isWhole ? inner.offsetHeight : MACHINE_PX);
      const down = (clientHeight + TIME_PX - (chosen_px ?? USUAL_TIME_PX)) / machine_px;
      const across = (clientWidth - SCROLL_BAR_PX) / (DESIGNED_PX - SCROLL_BAR_PX);
      // For a projector what does not fit is scrolled to.
      const within = isProjector ? Math.min(across, PROJECTED_ZOOM) : Math.min(across, down);
      const zoom = isPhone ? 1 : Math.max(1, Math.floor(Math.min(within, MAX_ZOOM) * 100) / 100);
      const stage_px = zoom > 1 ? DESIGNED_PX : offsetWidth;
      // A stage that scrolls with the page is as high as what is in it: that says nothing.
      const isOwn = getComputedStyle(outer).overflowY !== "visible";
      const isLow = !isPhone && isOwn && clientHeight < LOW_PX;
      const spare_px = isOwn ? clientHeight - machine_px * zoom : 0;
      giveToTime(outer, spare_px, chosen_px);
      setRoom((last) =>
        last.stage_px === stage_px && last.zoom === zoom && last.isLow === isLow
          ? last
          : { stage_px, zoom, isLow },
      );
      lastRoom = { stage_px, zoom, isLow };
    };
    const bench = outer.closest(".workbench");
    bench?.addEventListener("mmscope:lanes", measure);
    const observer = new ResizeObserver(measure);
    observer.observe(outer);
    observer.observe(inner);
    // A browser for fingers makes its window as wide as what does not fit: there at once.
    if (hasTouch) measure();
    const callOff = beforeDrawing(measure);
    return () => {
      callOff();
      bench?.removeEventListener("mmscope:lanes", measure);
      observer.disconnect();
    };
  }, [main, machine, setRoom, isPhone, isWhole, outline_px, hasTouch, isProjector]);
}
