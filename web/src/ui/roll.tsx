// Numbers that a step changes roll into place: up if they grew, down if they shrank. The text is
// correct at once, and nothing around it moves.

import { type ReactNode, type RefObject, type SVGProps, useLayoutEffect, useRef } from "react";

const FROM = { distance_em: 0.5, opacity: 0.3 };

/**
 * Rolls an element in. After a seek or a run, and with reduced motion, numbers change without
 * rolling.
 */
function roll(element: Element, direction: 1 | -1): void {
  if (!element.closest('[data-motion="soft"]') || !element.animate) return;
  const style = getComputedStyle(element);
  const duration = Number.parseFloat(style.getPropertyValue("--m-step"));
  if (!(duration > 0)) return;
  element.animate(
    [
      { transform: `translateY(${direction * FROM.distance_em}em)`, opacity: FROM.opacity },
      { transform: "none", opacity: 1 },
    ],
    { duration, easing: style.getPropertyValue("--ease").trim() || "ease-out" },
  );
}

/** An element that rolls when its value changes; words have no size and roll up. */
function useRoll<E extends Element>(value: number | string): RefObject<E | null> {
  const element = useRef<E>(null);
  const last = useRef(value);
  useLayoutEffect(() => {
    const was = last.current;
    last.current = value;
    if (was === value || !element.current) return;
    roll(element.current, typeof value === "number" && value < Number(was) ? -1 : 1);
  }, [value]);
  return element;
}

/** A number, or a few words, in a line of text. */
export function Roll({ value, children }: { value: number | string; children: ReactNode }) {
  const element = useRoll<HTMLSpanElement>(value);
  return (
    <span ref={element} className="roll">
      {children}
    </span>
  );
}

/** A number in a drawing. */
export function RollText({ value, ...rest }: { value: number } & SVGProps<SVGTextElement>) {
  const element = useRoll<SVGTextElement>(value);
  return <text {...rest} ref={element} />;
}
