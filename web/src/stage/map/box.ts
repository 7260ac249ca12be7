// The box of a page map, which is the same at every level: its height, and the focus inside it.

import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useFit } from "../../ui/fit";
import { useLaidOut } from "../../ui/laid-out";
import type { PageMapProps } from "./scene";

/** Height of a box of at least `least_px`, as the browser has laid it out. */
export function useHeight(box: RefObject<HTMLElement | null>, least_px: number): number {
  const [height, setHeight] = useState(0);
  useLaidOut(box, ({ clientHeight }) => setHeight(clientHeight));
  return Math.max(height, least_px);
}

/**
 * Moves the focus between the map and the opened page. `isGiven`: the element that was replaced had
 * the focus.
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
    // The removal of a focused element does not mean that the user went elsewhere.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: checks again when the key changes
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !isHeld.current || element.contains(document.activeElement)) return;
    element.querySelector<HTMLElement>(".page-card, .map-grid")?.focus({ preventScroll: true });
  }, [box, key]);
}

/**
 * Height of the links back, and of a box with room for a zoomed map below them; touch needs more.
 */
const POINTED = { crumbs_px: 24, box_px: 126 };
const TOUCHED = { crumbs_px: 44, box_px: 240 };

/** The least height of a map's box, and of the links back in it. */
export function useRoomFor({ zoomed, map_off_px }: PageMapProps, height: number) {
  const { crumbs_px, box_px } = useFit().hasTouch ? TOUCHED : POINTED;
  return { crumbs_px, least_px: zoomed ? Math.max(height, box_px - map_off_px) : height };
}
