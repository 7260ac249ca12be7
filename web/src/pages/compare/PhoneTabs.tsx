// On a phone the two machines and the fork are side by side, one per screen: a swipe or a tab shows
// the next.

import { useEffect, useRef, useState } from "react";
import { FORK } from "./words";

/** The parts, from left to right. */
const PARTS = [FORK.sideOf.a, FORK.short, FORK.sideOf.b] as const;

/** The visible part, and a function that shows another. */
export function useSwipe() {
  const box = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setShown(Math.round(element.scrollLeft / Math.max(1, element.clientWidth)));
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, []);
  const show = (part: number) => {
    const element = box.current;
    element?.scrollTo({ left: part * element.clientWidth });
  };
  return { box, shown, show };
}

/** The tabs above them. */
export function PhoneTabs({ shown, show }: { shown: number; show: (part: number) => void }) {
  return (
    <div className="seg compare-tabs">
      {PARTS.map((words, part) => (
        <button key={words} type="button" aria-pressed={shown === part} onClick={() => show(part)}>
          {words}
        </button>
      ))}
    </div>
  );
}
