// The parts of an experiment that a form shows: described in the experiment, or ready-made and
// named there.

import { useEffect, useState } from "react";
import { loadPresets, type Presets } from "../../engine/load-parts";
import { isTree, type Json, type Tree } from "./tree";
import { PARTS } from "./words";

/** The ready-made parts once they have loaded, or the reason why they have not. */
export function useParts(): { readonly parts: Presets | null; readonly failure: string | null } {
  const [parts, setParts] = useState<Presets | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    loadPresets().then(
      (loaded) => isCurrent && setParts(loaded),
      (error: unknown) => isCurrent && setFailure(String(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  return { parts, failure };
}

/** A part described in an experiment, or the ready-made one of that name. */
export function described(
  value: unknown,
  readyMade: readonly { readonly id: string }[] | undefined,
): Json | undefined {
  if (typeof value !== "string") return value as Json | undefined;
  return readyMade?.find(({ id }) => id === value) as Tree | undefined;
}

/** Id of the user's own part; the engine requires an id. */
const OWN_ID = "own";

/** The part to change: the part itself, or a copy of the ready-made one. */
export function own(value: unknown, tree: Tree): Tree {
  if (isTree(value)) return value;
  const title = typeof tree.title === "string" ? tree.title : "";
  return { ...tree, id: OWN_ID, title: PARTS.changed(title) };
}
