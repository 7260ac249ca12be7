import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import type { Notice as Told } from "../../app/store";
import { Icon } from "../../ui/icons";
import { NOTICE } from "./words";

/** How long a notice is shown, unless it is hovered or focused. */
const STANDS_MS = 6000;

const DRAFT_WORDS = {
  kept: null,
  denied: NOTICE.denied,
  full: NOTICE.full,
} as const;

/** A sentence about the last action, never cut off, with an undo button. */
export function Notice() {
  const notice = useWorkbenchState((state) => state.notice);
  const draft = useWorkbenchState((state) => state.draft);
  // A warning about possible loss stays until it is dismissed.
  if (notice) return <Line key={notice.text} notice={notice} ends />;
  const text = DRAFT_WORDS[draft];
  return text && <Line notice={{ text, undo: null }} ends={false} />;
}

function Line({ notice: { text, undo }, ends }: { notice: Told; ends: boolean }) {
  const workbench = useWorkbench();
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (!ends || isHeld) return;
    const timer = setTimeout(() => workbench.dismissNotice(), STANDS_MS);
    return () => clearTimeout(timer);
  }, [workbench, ends, isHeld]);
  return (
    <section
      className="notice"
      aria-label={NOTICE.whatJustHappened}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p>{text}</p>
      {undo && (
        <button type="button" className="btn line tiny" onClick={() => workbench.changes[undo]()}>
          {undo === "undo" ? NOTICE.undo : NOTICE.redo}
        </button>
      )}
      <button
        type="button"
        className="btn icon"
        aria-label={NOTICE.dismiss}
        onClick={() => workbench.dismissNotice()}
      >
        <Icon name="cross" />
      </button>
    </section>
  );
}
