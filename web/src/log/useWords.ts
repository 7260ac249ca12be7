import { useMemo, useRef } from "react";
import type { RunInfo, RunView } from "../engine/run";
import { type Words, wordsOf } from "../engine/sentence";
import type { Catalog } from "../engine/types";

/** The names of a machine, including those of tasks that have ended. */
export function useWords(
  catalog: Catalog,
  info: RunInfo,
  view: RunView,
  texts?: readonly string[],
): Words {
  const tasks = useRef<{ info: RunInfo; known: Words["tasks"] }>({ info, known: new Map() });
  return useMemo(() => {
    const known = tasks.current.info === info ? tasks.current.known : undefined;
    const words = wordsOf(catalog, info, view, known);
    tasks.current = { info, known: words.tasks };
    return texts ? { ...words, texts } : words;
  }, [catalog, info, view, texts]);
}
