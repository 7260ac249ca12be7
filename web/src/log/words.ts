import { useMemo, useRef } from "react";
import { type Words, wordsOf } from "../engine/sentence";
import type { Catalog, Info, View } from "../engine/types";

/** The names of a machine, including those of tasks that have ended. */
export function useWords(catalog: Catalog, info: Info, view: View): Words {
  const tasks = useRef<{ info: Info; known: Words["tasks"] }>({ info, known: new Map() });
  return useMemo(() => {
    const known = tasks.current.info === info ? tasks.current.known : undefined;
    const words = wordsOf(catalog, info, view, known);
    tasks.current = { info, known: words.tasks };
    return words;
  }, [catalog, info, view]);
}
