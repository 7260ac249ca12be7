import { useLayoutEffect } from "react";
import { useWorkbench, useWorkbenchState } from "./context";

/** Tells the engine when a frame has been painted, so that it sends the next. */
export function usePaintedFrames(): void {
  const workbench = useWorkbench();
  const view = useWorkbenchState((state) => state.session?.frame?.view);
  useLayoutEffect(() => {
    if (!view) return;
    const request = requestAnimationFrame(() => workbench.painted());
    return () => {
      cancelAnimationFrame(request);
      // A frame that is replaced before it is painted also lets the engine send the next one.
      workbench.painted();
    };
  }, [view, workbench]);
}
