import { useEffect, useRef } from "react";

/**
 * One canvas that draws in CSS pixels: device pixels are handled here, and however often `draw`
 * changes, it is painted once an animation frame.
 */
export function Canvas({
  width,
  height,
  draw,
}: {
  width: number;
  height: number;
  draw: (g: CanvasRenderingContext2D) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
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
  return <canvas ref={canvas} style={{ width, height }} />;
}

/** How much a zoomed stage enlarges the canvas; its pixels follow, so that it stays sharp. */
function zoomOf(element: HTMLElement, width: number): number {
  const shown = element.getBoundingClientRect().width;
  return shown > 0 ? Math.max(1, shown / width) : 1;
}
