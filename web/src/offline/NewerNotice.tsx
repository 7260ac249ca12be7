import { useState, useSyncExternalStore } from "react";
import { useMode } from "../app/context";
import { Icon } from "../ui/icons";
import type { Newer } from "./newer";

/** Says that a newer version of the page is here, once nothing runs. */
export function NewerNotice({ newer }: { newer: Newer }) {
  const isHere = useSyncExternalStore(newer.subscribe, newer.isHere);
  const mode = useMode();
  const [isDismissed, setDismissed] = useState(false);
  if (!isHere || isDismissed || mode === "playing" || mode === "seeking") return null;
  return (
    <div className="notice newer" role="status">
      <p>A newer version of mmscope is here. Your work is kept.</p>
      <button type="button" className="btn line" onClick={() => newer.take()}>
        Reload when you like
      </button>
      <button
        type="button"
        className="btn icon"
        aria-label="Dismiss"
        onClick={() => setDismissed(true)}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}
