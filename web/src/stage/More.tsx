import { type RefObject, useEffect, useState } from "react";
import { Icon } from "../ui/icons";
import { MORE } from "./words";

/** The share of the stage that one press scrolls. */
const TURN = 0.8;

/**
 * A line at the bottom of the stage that scrolls to the rest if the machine does not fit in the
 * window.
 */
export function More({ stage }: { stage: RefObject<HTMLElement | null> }) {
  const [left_px, setLeft] = useState(0);
  useEffect(() => {
    const box = stage.current;
    if (!box || typeof ResizeObserver === "undefined") return;
    const look = () => {
      const isOwn = getComputedStyle(box).overflowY !== "visible";
      setLeft(isOwn ? box.scrollHeight - box.clientHeight - Math.ceil(box.scrollTop) : 0);
    };
    const observer = new ResizeObserver(look);
    observer.observe(box);
    for (const part of box.children) observer.observe(part);
    box.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", look);
    };
  }, [stage]);
  if (left_px <= 1) return null;
  return (
    <button
      type="button"
      className="stage-more"
      onClick={() => stage.current?.scrollBy({ top: stage.current.clientHeight * TURN })}
    >
      <Icon name="down" /> {MORE.moreOfMachineBelow}
    </button>
  );
}
