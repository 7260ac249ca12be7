import type { ReactNode } from "react";
import type { Part } from "./folds";

/** What says which parts are folded, and folds them. */
export interface Folding {
  readonly isFolded: (part: Part) => boolean;
  readonly fold: (part: Part) => void;
}

/** A part of the step under its heading, which folds it. */
export function StepPart({
  part,
  title,
  beside,
  folding: { isFolded, fold },
  children,
}: {
  part: Part;
  title: string;
  /** What stands beside the heading, also while it is folded. */
  beside?: ReactNode;
  folding: Folding;
  children: ReactNode;
}) {
  const isOpen = !isFolded(part);
  return (
    <section className={isOpen ? "step-part" : "step-part folded"} aria-label={title}>
      <div className="hd">
        <h2 className="label">
          <button
            type="button"
            className="fold-part"
            aria-expanded={isOpen}
            onClick={() => fold(part)}
          >
            {title}
          </button>
        </h2>
        {beside}
      </div>
      {isOpen && children}
    </section>
  );
}
