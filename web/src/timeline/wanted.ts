// How high the timeline would like to be. The stage's layout (`stage/room`), which shares the window
// out, reads it off the workbench and hears when it changes.

import { type RefObject, useEffect } from "react";

/** Tells the workbench what height all lanes take, and those alone that changed, px. */
export function useWanted(inside: RefObject<Element | null>, all_px: number, changed_px: number) {
  useEffect(() => {
    const bench = inside.current?.closest<HTMLElement>(".workbench");
    if (!bench) return;
    bench.dataset.lanes = String(all_px);
    bench.dataset.changed = String(changed_px);
    bench.dispatchEvent(new Event("mmscope:lanes"));
  }, [inside, all_px, changed_px]);
}
