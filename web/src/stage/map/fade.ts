import { type RefObject, useLayoutEffect, useRef } from "react";
import { beforeDrawing } from "../../ui/before-drawing";

/**
 * Fades the picture of a map's last level out over the next one, unless the user prefers reduced
 * motion.
 */
export function useCrossFade(box: RefObject<HTMLElement | null>, key: string): void {
  const last = useRef<{ key: string; canvas: HTMLCanvasElement | null; top: number } | null>(null);
  useLayoutEffect(() => {
    const was = last.current;
    const canvas = box.current?.querySelector("canvas") ?? null;
    if (was?.key === key && was.canvas === canvas) return;
    // Canvases paint after this, so the canvas still shows the last level.
    if (was && was.key !== key && was.canvas && box.current) fade(box.current, was.canvas, was.top);
    const layer = { key, canvas, top: 0 };
    last.current = layer;
    // Measures the position when the browser has computed the layout anyway.
    beforeDrawing(() => {
      layer.top = canvas?.parentElement?.offsetTop ?? 0;
    });
  });
}

function fade(box: HTMLElement, old: HTMLCanvasElement, top: number): void {
  const duration = Number.parseFloat(getComputedStyle(box).getPropertyValue("--m-step"));
  const ghost = document.createElement("canvas");
  if (!(duration > 0) || !ghost.animate || old.width === 0) return;
  ghost.width = old.width;
  ghost.height = old.height;
  ghost.className = "ghost";
  // The pixels of the canvas were painted for its size on screen.
  const scale = devicePixelRatio * (box.getBoundingClientRect().width / box.offsetWidth || 1);
  ghost.style.cssText = `width:${old.width / scale}px;height:${old.height / scale}px;top:${top}px`;
  ghost.getContext("2d")?.drawImage(old, 0, 0);
  box.append(ghost);
  const end = () => ghost.remove();
  ghost.animate([{ opacity: 1 }, { opacity: 0 }], { duration }).finished.then(end, end);
}
