// The parts of an experiment a form shows: as the experiment describes them, or as the ready-made ones
// it names are described.

import { useEffect, useState } from "react";
import { loadParts, type Parts } from "../../engine/load-parts";
import { isTree, type Json, type Tree } from "./tree";

/** What is ready-made, once it has loaded; or that it has not. */
export function useParts(): { readonly parts: Parts | null; readonly failure: string | null } {
  const [parts, setParts] = useState<Parts | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let isWanted = true;
    loadParts().then(
      (loaded) => isWanted && setParts(loaded),
      (error: unknown) => isWanted && setFailure(String(error)),
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return { parts, failure };
}

/** A part as it stands in an experiment, or the ready-made one of that name. */
export function described(
  value: unknown,
  readyMade: readonly { readonly id: string }[] | undefined,
): Json | undefined {
  if (typeof value !== "string") return value as Json | undefined;
  return readyMade?.find(({ id }) => id === value) as Tree | undefined;
}

/** Id of what a person made; the engine needs one. */
const OWN_ID = "own";

/** What a change begins with: the part itself, or a copy of the ready-made one. */
export function own(value: unknown, tree: Tree): Tree {
  if (isTree(value)) return value;
  const title = typeof tree.title === "string" ? tree.title : "";
  return { ...tree, id: OWN_ID, title: `${title}, changed` };
}
