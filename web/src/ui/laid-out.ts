// Sizes that only the browser knows, asked for when it has worked them out anyway.

import { type DependencyList, type RefObject, useEffect, useRef } from "react";
import { flushSync } from "react-dom";

/**
 * Measures an element whenever its size changes, for the first time when the page has been laid out
 * and is about to be drawn, and again when one of `deps` changes: what is set then still shows in
 * that picture. Asked while the page is built, the browser would lay all of it out once more.
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
