// A term that is explained where it stands. The text is in docs/glossary.md; the one panel that
// shows it is in term-panel.tsx and finds a term by its attribute `data-term`.

import type { ReactNode } from "react";
import "./term.css";

/** Words with an explanation, which shows when they are hovered, focused or pressed. */
export const Term = ({
  id,
  label,
  className = "",
  tabIndex,
  children,
}: {
  /** The id of its glossary entry. */
  id: string;
  /** Its accessible name if it has no words of its own. */
  label?: string;
  className?: string;
  /** -1 if the same term has appeared before. */
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
