// The space for the machine, and its layout in that space.

import {
  type CSSProperties,
  type Dispatch,
  type RefObject,
  type SetStateAction,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Workbench } from "../app/controller";
import { isTimeLine } from "../app/store";
import { type Arrangement, arrange } from "../draw/arrange";
import { LEAST_TIME_PX, LINE_PX, type Squeeze, share, type TimeWish } from "../draw/share";
import { beforeDrawing } from "../ui/before-drawing";
import { isBeside, isLowWindow, useFit } from "../ui/fit";

const MAX_ZOOM = 1.6;
/** On a projector the machine is a little larger than everything else, if there is space. */
const PROJECTED_ZOOM = 1.07;
/** Designed width of the stage: two nodes of 512 px, the gap and the margins. */
const DESIGNED_PX = 1080;
/** Width reserved for a scroll bar, so that the layout does not depend on it. */
const SCROLL_BAR_PX = 16;
/** Lower stages have no space for large tiles. */
const LOW_PX = 720;

/** The stage's two elements, and the layout of the inner one. */
export interface Room {
  readonly main: RefObject<HTMLElement | null>;
  readonly machine: RefObject<HTMLDivElement | null>;
  readonly arrangement: Arrangement;
  /** How much the machine's parts shrink. */
  readonly squeeze: Squeeze;
  /** Render the whole machine, or only its zones? */
  readonly isWhole: boolean;
  readonly style: CSSProperties;
}

interface Wanted {
  /** A pair of nodes is side by side even in a narrow stage. */
  readonly isPair?: boolean;
  /** Whether to render everything below the zones, too. */
  readonly isRestNow?: boolean;
  /** The height of the machine that will replace an outline. */
  readonly outline_px?: number | "first visit";
  /** The timeline is below the stage, and gets the remaining height. */
  readonly hasTimeline?: boolean;
  /** The machine that is laid out: another one is measured again. */
  readonly of?: unknown;
  /** The face that is shown in a shared area, because faces have different heights. */
  readonly face?: unknown;
}

/** Lays out nodes with this many zones each in the stage, and again when its size changes. */
export function useRoom(nodes: number, zones: number, wanted: Wanted = {}): Room {
  const { isPair = false, isRestNow = true } = wanted;
  const main = useRef<HTMLElement>(null);
  const machine = useRef<HTMLDivElement>(null);
  const { look } = useFit();
  const isPhone = look === "phone";
  const memory = memoryOf(useWorkbench());
  const [room, setRoom] = useState(memory.last);
  const { stage_px, zoom, isLow, squeeze } = room;
  const arrangement = arrange(stage_px, { nodes, zones, isPhone, isLow, isPair, squeeze });
  // If nodes or a text are below others, a later rendering would move them.
  const isWhole = isRestNow || !isBeside(look) || arrangement.abreast < nodes;
  useMeasured(isWhole, wanted, { main, machine, setRoom });
  return { main, machine, arrangement, squeeze, isWhole, style: machineStyle(arrangement, zoom) };
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

/** The measured room. */
interface Measured {
  readonly stage_px: number;
  /** The zoom of the machine in a large window. */
  readonly zoom: number;
  readonly isLow: boolean;
  readonly squeeze: Squeeze;
}

const isSame = (a: Measured, b: Measured): boolean =>
  a.stage_px === b.stage_px && a.zoom === b.zoom && a.isLow === b.isLow && a.squeeze === b.squeeze;

/**
 * The machine and sizes that were fitted, and how many steps of shrinking were tried. For the same
 * machine in the same room, shrinking never goes back.
 */
interface Fitted {
  readonly of: readonly unknown[];
  readonly px: readonly number[];
  readonly rung: number;
}

const NOT_FITTED: Fitted = { of: [], px: [], rung: 0 };

/** Browsers round heights: a difference of 1 px is the same room. */
const isSameFit = (a: Fitted, b: Omit<Fitted, "rung">): boolean =>
  b.of.every((part, i) => part === a.of[i]) &&
  b.px.every((px, i) => Math.abs(px - (a.px[i] ?? 0)) <= 1);

/** Most measurements for a machine that needs every step of shrinking. */
const MOST_MEASURES = 9;

type SetRoom = Dispatch<SetStateAction<Measured>>;

/** Height of an open timeline until the machine has been measured, in a window that is not low. */
const FIRST_TIME_PX = 140;
/** A stage is enlarged only if this height is left for the lanes of a teaching machine. */
const USUAL_TIME_PX = 248;
/** From this size of the window on the stage is enlarged, and the timeline has its usual height at once. */
const LARGE_PX = { width: 1800, height: 1000 };
/** Height of the machine on a first visit, with large tiles and with those of a low stage. */
const MACHINE_PX = 670;
const LOW_MACHINE_PX = 646;

/** The known measurements of a workbench's stage. */
interface Memory {
  /** Has the stage been measured? Before that the zones would be drawn from a guess. */
  isMeasured: boolean;
  /**
   * The last measurement. The machine that replaces its outline starts with it. The initial value
   * assumes a stage as wide as its window, which is right if the stage takes the full width.
   */
  last: Measured;
}

const memories = new WeakMap<Workbench, Memory>();

function memoryOf(workbench: Workbench): Memory {
  const known = memories.get(workbench);
  if (known) return known;
  const stage_px = Math.min(DESIGNED_PX, window.innerWidth);
  const last: Measured = { stage_px, zoom: 1, isLow: false, squeeze: 0 };
  const memory: Memory = { isMeasured: false, last };
  memories.set(workbench, memory);
  return memory;
}

/** Inputs of the stage's layout. */
interface Frame extends Pick<Wanted, "of" | "face"> {
  readonly outer: HTMLElement;
  readonly inner: HTMLElement;
  readonly workbench: Workbench;
  readonly memory: Memory;
  readonly isPhone: boolean;
  readonly isProjector: boolean;
  readonly isWhole: boolean;
  readonly outline_px: number | "first visit";
  readonly hasTimeline: boolean;
  readonly wantsLine: boolean | null;
  readonly chosen_px: number | null;
}

/** Measures the stage as the browser has laid it out, when it is whole or was never measured. */
function useMeasured(
  isWhole: boolean,
  { outline_px = 0, hasTimeline = false, of, face }: Wanted,
  { main, machine, setRoom }: Pick<Room, "main" | "machine"> & { setRoom: SetRoom },
): void {
  const workbench = useWorkbench();
  const { look, hasTouch, isProjector } = useFit();
  const isPhone = look === "phone";
  const wantsLine = useWorkbenchState((state) => state.isFolded);
  const chosen_px = useWorkbenchState((state) => state.layout.chosen_px);
  const fitted = useRef<Fitted>(NOT_FITTED);
  useLayoutEffect(() => {
    const [outer, inner] = [main.current, machine.current];
    if (!outer || !inner || typeof ResizeObserver === "undefined") return;
    const memory = memoryOf(workbench);
    if (!isWhole && memory.isMeasured) return;
    const kept = { outer, inner, workbench, isPhone, isProjector, isWhole };
    const frame = { ...kept, memory, outline_px, hasTimeline, of, face, wantsLine, chosen_px };
    const layOut = (): boolean => {
      const { next, isSettled } = fitOnce(frame, fitted);
      memory.last = next;
      setRoom((last) => (isSame(last, next) ? last : next));
      return isSettled;
    };
    const measure = () => {
      // Without a layout there is nothing to measure.
      if (outer.offsetWidth === 0) return;
      memory.isMeasured = true;
      let isSettled = false;
      for (let i = 0; i < MOST_MEASURES && !isSettled; i += 1)
        flushSync(() => {
          isSettled = layOut();
        });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(outer);
    observer.observe(inner);
    // A touch browser widens its window to fit wide content, so measure at once.
    if (hasTouch && outer.offsetWidth > 0) layOut();
    const callOff = beforeDrawing(measure);
    return () => {
      callOff();
      observer.disconnect();
    };
  }, [
    main,
    machine,
    setRoom,
    workbench,
    isPhone,
    isWhole,
    outline_px,
    hasTimeline,
    of,
    face,
    wantsLine,
    chosen_px,
    hasTouch,
    isProjector,
  ]);
}

/** Lays the stage out once; if the result is not settled, it must be measured again. */
function fitOnce(
  frame: Frame,
  fitted: { current: Fitted },
): { next: Measured; isSettled: boolean } {
  const { outer, workbench, isPhone, isWhole, hasTimeline, wantsLine, chosen_px } = frame;
  const { last } = frame.memory;
  // A stage that scrolls with the page is as high as its content, so its height says nothing.
  const isOwn = getComputedStyle(outer).overflowY !== "visible";
  const room_px = outer.clientHeight + (hasTimeline ? timeHeight(workbench) : LEAST_TIME_PX);
  const now = {
    of: [frame.of, frame.face, isWhole, wantsLine, chosen_px, frame.isProjector],
    px: [outer.offsetWidth, room_px],
  };
  const rung = isSameFit(fitted.current, now) ? fitted.current.rung : 0;
  fitted.current = { ...now, rung };
  if (rung === 0 && last.squeeze > 0) return { next: { ...last, squeeze: 0 }, isSettled: false };
  const machine_px = machineHeight(frame);
  const zoom = isPhone ? 1 : zoomIn(frame, room_px, machine_px);
  const next: Measured = {
    stage_px: zoom > 1 ? DESIGNED_PX : outer.offsetWidth,
    zoom,
    isLow: !isPhone && isOwn && room_px - LEAST_TIME_PX < LOW_PX,
    squeeze: isOwn ? last.squeeze : 0,
  };
  // Tiles of another size change the height.
  const isOther = !isSame(last, next);
  if (isOther || !isOwn) {
    // In a scrolling page, the timeline returns to its own height.
    if (!isOwn && hasTimeline) workbench.layOut({ time_px: null, isLine: false });
    return { next, isSettled: !isOther };
  }
  const shared = share({
    room_px: hasTimeline ? room_px : outer.clientHeight,
    machine_px: machine_px * zoom,
    rung,
    wish: hasTimeline ? wishOf(wantsLine) : "none",
    chosen_px,
  });
  fitted.current = { ...now, rung: shared.rung };
  const { isSettled, squeeze, time_px, isLine } = shared;
  if (hasTimeline && isSettled) workbench.layOut({ time_px, isLine });
  return { next: { ...next, squeeze }, isSettled };
}

/** The machine's height: as built, as its outline says, or as on a first visit. */
function machineHeight({ inner, isWhole, outline_px, memory }: Frame): number {
  if (isWhole && outline_px === 0) return inner.offsetHeight;
  if (typeof outline_px === "number" && outline_px > 0) return outline_px;
  return memory.last.isLow ? LOW_MACHINE_PX : MACHINE_PX;
}

/** The zoom of the machine in a stage larger than designed. */
function zoomIn(
  { outer, isProjector, hasTimeline, chosen_px }: Frame,
  room_px: number,
  machine_px: number,
): number {
  const across = (outer.clientWidth - SCROLL_BAR_PX) / (DESIGNED_PX - SCROLL_BAR_PX);
  const time_px = isProjector ? LEAST_TIME_PX : (chosen_px ?? USUAL_TIME_PX);
  const most = isProjector && hasTimeline ? PROJECTED_ZOOM : MAX_ZOOM;
  const within = Math.min(across, (room_px - time_px) / machine_px, most);
  return Math.max(1, Math.floor(within * 100) / 100);
}

const wishOf = (wantsLine: boolean | null): TimeWish =>
  wantsLine === null ? "free" : wantsLine ? "line" : "open";

/** The part of the window's height that the timeline now takes from the stage. */
function timeHeight({ store }: Workbench): number {
  const state = store.getState();
  if (isTimeLine(state)) return LINE_PX;
  return state.layout.time_px ?? firstTime();
}

/** The timeline's height before the first measurement, as `--time-first` in layout.css says it. */
function firstTime(): number {
  if (isLowWindow()) return LEAST_TIME_PX;
  const isLarge = window.innerWidth >= LARGE_PX.width && window.innerHeight >= LARGE_PX.height;
  return isLarge ? USUAL_TIME_PX : FIRST_TIME_PX;
}
