// What the parts of the panel share: one reader of the engine's log, and a look that begins anew
// whenever what it is about changes.

import { useCallback, useEffect, useMemo, useState } from "react";
import { useWorkbench } from "../../app/context";
import { LastAsked } from "../../engine/last-asked";
import type { AskLog } from "../../engine/log-turns";
import type { Info } from "../../engine/types";
import { type Looking, type Progress, RecentOnly } from "./look";

/** A look is quick on a small machine; only one that takes longer says how far it is, ms. */
const TELL_AFTER_MS = 250;

/** A log of one's own, closed with the panel. */
export function useReader(info: Info): AskLog {
  const workbench = useWorkbench();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another machine, another log
  const reader = useMemo(() => workbench.log(), [workbench, info]);
  useEffect(() => () => void reader({ kind: "end" }).catch(() => {}), [reader]);
  return reader;
}

/** What a look has come to. */
interface Look<T> {
  /** What was found last; it stays until something else is. */
  readonly value: T | null;
  /** What it was looked for at: the key. Differs from the present one while a look is under way. */
  readonly of: string | null;
  readonly progress: Progress | null;
  readonly failure: string | null;
  readonly isStopped: boolean;
}

/** A look, and what to do about it. */
export interface Looked<T> extends Look<T> {
  /** What is there was found for another moment, or is nothing yet. */
  readonly isBusy: boolean;
  readonly stop: () => void;
  readonly again: () => void;
}

const NOT_LOOKED = { value: null, of: null, progress: null, failure: null, isStopped: false };

const words = (error: unknown): string =>
  error instanceof RecentOnly
    ? "for a machine of this size, memory allows only the last 512 steps, and it is not in them"
    : error instanceof Error
      ? error.message
      : String(error);

/** Looks whenever the key is another; not at all while there is none. */
export function useLook<T>(
  key: string | null,
  { ask, kinds }: Pick<Looking, "ask" | "kinds">,
  look: (looking: Looking) => Promise<T | null>,
): Looked<T> {
  const [found, setFound] = useState<Look<T>>(NOT_LOOKED);
  const [turn, setTurn] = useState(0);
  const [asked] = useState(() => new LastAsked());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what is looked for
  useEffect(() => {
    if (key === null) return;
    const began = performance.now();
    void asked.ask(async (heard, signal) => {
      const tell = (progress: Progress) => {
        if (signal.aborted || performance.now() - began < TELL_AFTER_MS) return;
        setFound((before) => ({ ...before, progress, isStopped: false }));
      };
      const looked = look({ ask, kinds, signal, tell }).then(
        (value) => ({ ...NOT_LOOKED, value, of: key }),
        (error: unknown) => ({ ...NOT_LOOKED, of: key, failure: words(error) }),
      );
      setFound(await heard(looked));
    });
    return () => asked.stop();
  }, [key, turn, ask, kinds, asked]);
  const stop = useCallback(() => {
    asked.stop();
    setFound((before) => ({ ...before, progress: null, isStopped: true }));
  }, [asked]);
  const again = useCallback(() => {
    setFound((before) => ({ ...before, isStopped: false }));
    setTurn((before) => before + 1);
  }, []);
  const isBusy = key !== null && found.of !== key && !found.isStopped;
  return { ...found, isBusy, stop, again };
}
