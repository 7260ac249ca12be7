// Which parts of the step are folded, stored if storage allows it. The folds belong to this browser
// and are not in links, because they depend on the size of the window.

import { useState } from "react";
import { inBrowser } from "../stored";
import { isBeside, useFit, useLowWindow } from "../ui/fit";

/** A part of the lower half that can be folded. */
export type StepPanel = "stack" | "locals" | "events";

const KEY = "mmscope.folds";

type Folds = Readonly<Partial<Record<StepPanel, boolean>>>;

/** Parts that are folded in a low window. */
const LOW: Folds = { stack: true, events: true };

/** The stored folds, as far as they can be read. */
export function readFolds(text: string | null): Folds {
  const found: Record<string, boolean> = {};
  for (const each of (text ?? "").split(" ")) {
    const [, sign, part = ""] = /^([+-])(stack|locals|events)$/.exec(each) ?? [];
    if (sign) found[part] = sign === "-";
  }
  return found;
}

/** The folds as text for storage: "-" for folded, "+" for open. */
export const folds = (stored: Folds): string =>
  Object.entries(stored)
    .map(([part, isFolded]) => `${isFolded ? "-" : "+"}${part}`)
    .join(" ");

/**
 * Whether a part is folded, and a function that changes it: the user's choice, otherwise the
 * window's default.
 */
export function useFolds(): readonly [(part: StepPanel) => boolean, (part: StepPanel) => void] {
  const isLow = useLowWindow();
  // If the parts are below each other, the page grows with them.
  const hasNoRoom = isBeside(useFit().look) && isLow;
  const [stored, setStored] = useState(() => readFolds(inBrowser.read(KEY)));
  const isFolded = (part: StepPanel) => stored[part] ?? (hasNoRoom && (LOW[part] ?? false));
  const flip = (part: StepPanel) => {
    const next = { ...stored, [part]: !isFolded(part) };
    inBrowser.write(KEY, folds(next));
    setStored(next);
  };
  return [isFolded, flip];
}
