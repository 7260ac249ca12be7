// The log of one page frame, from the present step back to boot.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import { useWorkbench } from "../../app/context";
import type { Info } from "../../engine/types";
import { EVERYTHING, LogKeeper, type LogState, MOST } from "../../log/keeper";

/** A frame's log, with actions to stop and continue the search. */
export interface LifeLog extends LogState {
  readonly isStopped: boolean;
  readonly stop: () => void;
  readonly goOn: () => void;
}

const hasMore = ({ from, rows, isRecentOnly, failure }: LogState) =>
  from > 0 && !isRecentOnly && failure === null && rows.count < MOST;

/** Follows a paused machine, and automatically searches back to the start of the run. */
export function useLife(info: Info, pfn: number, step: number, isPaused: boolean): LifeLog {
  const workbench = useWorkbench();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another machine or frame has another log
  const keeper = useMemo(() => new LogKeeper(workbench.log()), [workbench, info, pfn]);
  const [isStopped, setStopped] = useState(false);
  const turn = useRef({ isStopped: false, isLooking: false, hasBegun: false });
  const lookBack = useCallback(async () => {
    const now = turn.current;
    if (now.isLooking) return;
    now.isLooking = true;
    while (!now.isStopped && hasMore(keeper.store.getState())) await keeper.earlier(MOST);
    now.isLooking = false;
  }, [keeper]);
  useEffect(() => {
    const now = { isStopped: false, isLooking: false, hasBegun: false };
    turn.current = now;
    setStopped(false);
    return () => {
      now.isStopped = true;
      keeper.dispose();
    };
  }, [keeper]);
  useEffect(() => {
    if (!isPaused) return;
    const now = turn.current;
    const filter = { ...EVERYTHING, decisions: true, pages: [pfn, pfn] as const };
    const first = now.hasBegun ? keeper.reach(step) : keeper.begin(step, filter);
    now.hasBegun = true;
    void first.then(() => (now.isStopped ? undefined : lookBack()));
  }, [keeper, pfn, step, isPaused, lookBack]);
  const stop = useCallback(() => {
    turn.current.isStopped = true;
    setStopped(true);
    keeper.stop();
  }, [keeper]);
  const goOn = useCallback(() => {
    turn.current.isStopped = false;
    setStopped(false);
    void lookBack();
  }, [lookBack]);
  return { ...useStore(keeper.store), isStopped, stop, goOn };
}
