import { type RefObject, useEffect, useState } from "react";
import { Icon } from "../ui/icons";

/** What a press leaves in sight of what was there before, as a share of the stage. */
const TURN = 0.8;

/**
 * Where a window has no room for all of a machine: a line at the foot of the stage, over what it would
 * cut, that leads to the rest.
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
      <Icon name="down" /> More of the machine below
    </button>
  );
}
