// The box a page map keeps at every level: how high it is, and that the focus stays in it.

import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useFit } from "../../ui/fit";
import { useLaidOut } from "../../ui/laid-out";
import type { PageMapProps } from "./scene";

/** Height of a box that is at least `least_px` high, as the browser has laid it out. */
export function useHeight(box: RefObject<HTMLElement | null>, least_px: number): number {
  const [height, setHeight] = useState(0);
  useLaidOut(box, ({ clientHeight }) => setHeight(clientHeight));
  return Math.max(height, least_px);
}

/**
 * The focus goes with the person: from the map to the page that is read, and back. `isGiven`: it was
 * in what stood here before.
 */
export function useHeldFocus(
  box: RefObject<HTMLElement | null>,
  key: string,
  isGiven: boolean,
): void {
  const isHeld = useRef(isGiven);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const onIn = () => {
      isHeld.current = true;
    };
    // What is taken away with the focus in it says nothing of where the person went.
    const onOut = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof Node && !element.contains(relatedTarget)) isHeld.current = false;
    };
    const onPress = ({ target }: Event) => {
      if (target instanceof Node && !element.contains(target)) isHeld.current = false;
    };
    element.addEventListener("focusin", onIn);
    element.addEventListener("focusout", onOut);
    addEventListener("pointerdown", onPress);
    return () => {
      element.removeEventListener("focusin", onIn);
      element.removeEventListener("focusout", onOut);
      removeEventListener("pointerdown", onPress);
    };
  }, [box]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked at again when the key changes
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !isHeld.current || element.contains(document.activeElement)) return;
    element.querySelector<HTMLElement>(".page-card, .map-grid")?.focus({ preventScroll: true });
  }, [box, key]);
}

/** Height of the way back, and of a box with room for a zoomed map below it; fingers need more. */
const POINTED = { crumbs_px: 24, box_px: 126 };
const TOUCHED = { crumbs_px: 44, box_px: 240 };

/** How high a map's box is at least, and the way back in it. */
export function useRoomFor({ looks, map_off_px }: PageMapProps, height: number) {
  const { crumbs_px, box_px } = useFit().hasTouch ? TOUCHED : POINTED;
  return { crumbs_px, least_px: looks ? Math.max(height, box_px - map_off_px) : height };
}
