// A term that is explained where it stands. What is written of it is in docs/glossary.md; the one
// panel that shows it is in term-panel.tsx, and knows a term by its attribute `data-term`.

import type { ReactNode } from "react";
import "./term.css";

/** Words with an explanation: pointed at, focused or pressed, they show it. */
export const Term = ({
  id,
  label,
  className = "",
  tabIndex,
  children,
}: {
  /** Of its entry in the glossary. */
  id: string;
  /** What it is called where it has no words of its own. */
  label?: string;
  className?: string;
  /** -1 where the same term has stood before. */
  tabIndex?: -1 | undefined;
  children?: ReactNode;
}) => (
  <button
    type="button"
    className={`term ${className}`.trim()}
    data-term={id}
    aria-label={label}
    tabIndex={tabIndex}
  >
    {children}
  </button>
);
