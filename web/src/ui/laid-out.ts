// Sizes that only the browser knows, read at a time when it has computed the layout anyway.

import { type DependencyList, type RefObject, useEffect, useRef } from "react";
import { flushSync } from "react-dom";

/**
 * Measures an element after layout and before painting: first, whenever its size changes, and when
 * one of `deps` changes. State that is set then shows in the same frame. A measurement during
 * rendering would force one more layout of the whole page.
 */
export function useLaidOut(
  ref: RefObject<HTMLElement | null>,
  measure: (element: HTMLElement) => void,
  deps: DependencyList = [],
): void {
  const latest = useRef(measure);
  latest.current = measure;
  useEffect(() => {
    const element = ref.current;
    if (!element || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => flushSync(() => latest.current(element)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, ...deps]);
}
