import type { ReactNode } from "react";
import type { StepPanel } from "./folds";

/** State and actions of the parts that can be folded. */
export interface Folding {
  readonly isFolded: (part: StepPanel) => boolean;
  readonly fold: (part: StepPanel) => void;
}

/** A part of the step under a heading that folds it. */
export function StepPart({
  part,
  title,
  beside,
  folding: { isFolded, fold },
  children,
}: {
  part: StepPanel;
  title: string;
  /** Content next to the heading, which is also visible while the part is folded. */
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
