import { useEffect, useReducer, useRef } from "react";
import { useWorkbench } from "../app/context";
import { CANVAS } from "./words";

/** A browser that restores a lost canvas does so within this time, ms. */
const GIVEN_BACK_MS = 1500;
const NOT_GIVEN_BACK = CANVAS.browserDiscardedPicture;

interface CanvasProps {
  readonly width: number;
  readonly height: number;
  readonly draw: (g: CanvasRenderingContext2D) => void;
}

/**
 * A canvas that draws in CSS pixels and handles device pixels itself. It repaints once an animation
 * frame, however often `draw` changes. When the browser discards the bitmap, it is painted again
 * once it is restored. If it is not restored, a new canvas replaces it.
 */
export function Canvas(props: CanvasProps) {
  const [generation, renew] = useReducer((n: number) => n + 1, 0);
  return <Surface key={generation} renew={renew} {...props} />;
}

function Surface({ width, height, draw, renew }: CanvasProps & { renew: () => void }) {
  const workbench = useWorkbench();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [, repaint] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    const request = requestAnimationFrame(() => {
      const element = canvas.current;
      const g = element?.getContext("2d");
      if (!element || !g) return;
      const scale = Math.max(1, devicePixelRatio || 1) * zoomOf(element, width);
      const wide = Math.round(width * scale);
      const high = Math.round(height * scale);
      if (element.width !== wide || element.height !== high) {
        element.width = wide;
        element.height = high;
      }
      g.setTransform(scale, 0, 0, scale, 0, 0);
      g.clearRect(0, 0, width, height);
      draw(g);
    });
    return () => cancelAnimationFrame(request);
  });
  useEffect(() => {
    const element = canvas.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const giveUp = () => {
      workbench.tell(NOT_GIVEN_BACK);
      renew();
    };
    const lose = () => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, GIVEN_BACK_MS);
    };
    const restore = () => {
      clearTimeout(timer);
      repaint();
    };
    element?.addEventListener("contextlost", lose);
    element?.addEventListener("contextrestored", restore);
    return () => {
      clearTimeout(timer);
      element?.removeEventListener("contextlost", lose);
      element?.removeEventListener("contextrestored", restore);
    };
  }, [workbench, renew]);
  return <canvas ref={canvas} style={{ width, height }} />;
}

/**
 * How much a zoomed stage enlarges the canvas. The bitmap grows with it, so that it stays sharp.
 */
function zoomOf(element: HTMLElement, width: number): number {
  const width_px = element.getBoundingClientRect().width;
  return width_px > 0 ? Math.max(1, width_px / width) : 1;
}
