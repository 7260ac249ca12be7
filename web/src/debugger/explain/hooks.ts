// Hooks of the panel's parts: one reader of the engine's log, and a search that starts anew when
// its subject changes.

import { useCallback, useEffect, useMemo, useState } from "react";
import { useWorkbench } from "../../app/context";
import { LastAsked } from "../../engine/last-asked";
import type { AskLog } from "../../engine/log-turns";
import type { Info } from "../../engine/types";
import { type Progress, RecentOnly, type SearchContext } from "./search";
import { HOOKS } from "./words";

/** A search shows its progress only if it takes longer than this, ms. */
const TELL_AFTER_MS = 250;

/** A log reader for the panel, which is closed together with it. */
export function useReader(info: Info): AskLog {
  const workbench = useWorkbench();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another machine has another log
  const reader = useMemo(() => workbench.log(), [workbench, info]);
  useEffect(() => () => void reader({ kind: "end" }).catch(() => {}), [reader]);
  return reader;
}

/** The state of a search. */
interface SearchState<T> {
  /** The last result; it stays until there is another. */
  readonly value: T | null;
  /** The key of the last result. It differs from the present key while a search is running. */
  readonly of: string | null;
  readonly progress: Progress | null;
  readonly failure: string | null;
  readonly isStopped: boolean;
}

/** A search with its actions. */
export interface SearchResult<T> extends SearchState<T> {
  /** Whether the value belongs to another moment or does not exist yet. */
  readonly isBusy: boolean;
  readonly stop: () => void;
  readonly again: () => void;
}

const NO_SEARCH = { value: null, of: null, progress: null, failure: null, isStopped: false };

const words = (error: unknown): string =>
  error instanceof RecentOnly
    ? HOOKS.notRecorded
    : error instanceof Error
      ? error.message
      : String(error);

/** Starts a search whenever the key changes, unless the key is null. */
export function useSearch<T>(
  key: string | null,
  { ask, kinds }: Pick<SearchContext, "ask" | "kinds">,
  look: (looking: SearchContext) => Promise<T | null>,
): SearchResult<T> {
  const [found, setFound] = useState<SearchState<T>>(NO_SEARCH);
  const [turn, setTurn] = useState(0);
  const [asked] = useState(() => new LastAsked());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the search
  useEffect(() => {
    if (key === null) return;
    const began = performance.now();
    void asked.ask(async (heard, signal) => {
      const tell = (progress: Progress) => {
        if (signal.aborted || performance.now() - began < TELL_AFTER_MS) return;
        setFound((before) => ({ ...before, progress, isStopped: false }));
      };
      const looked = look({ ask, kinds, signal, tell }).then(
        (value) => ({ ...NO_SEARCH, value, of: key }),
        (error: unknown) => ({ ...NO_SEARCH, of: key, failure: words(error) }),
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
