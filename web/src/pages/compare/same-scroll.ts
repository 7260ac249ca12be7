// Both machines scroll together, so that the same parts are side by side.

import { type RefObject, useEffect } from "react";

/** Keeps the stages inside an element at the same scroll position. */
export function useSameScroll(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const follow = ({ target }: Event) => {
      if (!(target instanceof HTMLElement) || !target.classList.contains("stage")) return;
      for (const stage of element.querySelectorAll(".stage"))
        if (stage !== target && stage.scrollTop !== target.scrollTop)
          stage.scrollTop = target.scrollTop;
    };
    // Scroll events do not bubble.
    element.addEventListener("scroll", follow, true);
    return () => element.removeEventListener("scroll", follow, true);
  }, [box]);
}
