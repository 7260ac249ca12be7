// Whether the step's decision is one of the function a person has selected or points at.

import { useEffect, useState } from "react";
import { useWorkbenchState } from "../app/context";

type Table = typeof import("../log/decided-in");

/** Is a function that makes this decision selected, or hovered? Which do comes when it is first asked. */
export function useDecidedLit(decision: string | undefined): boolean {
  const [table, setTable] = useState<Table | null>(null);
  const isAsked = useWorkbenchState(({ selected, hovered }) =>
    [hovered, ...selected].some((key) => key?.startsWith("fn ")),
  );
  useEffect(() => {
    if (!isAsked || table) return;
    let isWanted = true;
    import("../log/decided-in").then(
      (loaded) => isWanted && setTable(loaded),
      // Nothing is lit; the next function that is asked for tries again.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [isAsked, table]);
  return useWorkbenchState(
    (state) => decision !== undefined && (table?.isDecidedLit(decision, state) ?? false),
  );
}
