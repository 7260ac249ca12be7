// Which parts of the step are folded, remembered where storage allows it. They are this browser's
// and in no link: what there is room for is for the window to say.

import { useState } from "react";
import { inBrowser } from "../stored";
import { isBeside, useFit, useLowWindow } from "../ui/fit";

/** A part of the lower half that can be folded. */
export type Part = "stack" | "locals" | "events";

const KEY = "mmscope.folds";

type Folds = Readonly<Partial<Record<Part, boolean>>>;

/** What a low window has no room for. */
const LOW: Folds = { stack: true, events: true };

/** What was kept, as far as it can be read. */
export function readFolds(text: string | null): Folds {
  const found: Record<string, boolean> = {};
  for (const each of (text ?? "").split(" ")) {
    const [, sign, part = ""] = /^([+-])(stack|locals|events)$/.exec(each) ?? [];
    if (sign) found[part] = sign === "-";
  }
  return found;
}

/** The folds as they are kept: "-" for folded, "+" for open. */
export const folds = (kept: Folds): string =>
  Object.entries(kept)
    .map(([part, isFolded]) => `${isFolded ? "-" : "+"}${part}`)
    .join(" ");

/** Is a part folded, and how that is changed: as a person left it, else as the window allows. */
export function useFolds(): readonly [(part: Part) => boolean, (part: Part) => void] {
  const isLow = useLowWindow();
  // Where the parts stand below each other the page is as long as they are.
  const hasNoRoom = isBeside(useFit().look) && isLow;
  const [kept, setKept] = useState(() => readFolds(inBrowser.read(KEY)));
  const isFolded = (part: Part) => kept[part] ?? (hasNoRoom && (LOW[part] ?? false));
  const flip = (part: Part) => {
    const next = { ...kept, [part]: !isFolded(part) };
    inBrowser.write(KEY, folds(next));
    setKept(next);
  };
  return [isFolded, flip];
}
