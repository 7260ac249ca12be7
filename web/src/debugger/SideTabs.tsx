import type { KeyboardEvent } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { SideTab } from "../app/store";
import { SIDE_TABS } from "./words";

const TABS: readonly (readonly [SideTab, string])[] = [
  ["step", SIDE_TABS.thisStep],
  ["explain", SIDE_TABS.explain],
  ["stops", SIDE_TABS.breakpoints],
  ["values", SIDE_TABS.values],
];

/** Tabs of the debugger's lower half; arrow keys move between them. */
export function SideTabs() {
  const workbench = useWorkbench();
  const tab = useWorkbenchState((state) => state.sideTab);
  const stops = useWorkbenchState((state) => state.breakpoints.length);
  const show = (sideTab: SideTab) => workbench.keep({ sideTab });
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = TABS.findIndex(([id]) => id === tab);
    const next = TABS[(at + by + TABS.length) % TABS.length]?.[0] ?? "step";
    show(next);
    document.getElementById(`side-${next}`)?.focus();
  };
  return (
    <div className="side-tabs" role="tablist" aria-label={SIDE_TABS.debuggerViews} onKeyDown={move}>
      {TABS.map(([id, words]) => (
        <button
          key={id}
          id={`side-${id}`}
          type="button"
          role="tab"
          tabIndex={id === tab ? 0 : -1}
          aria-selected={id === tab}
          aria-controls="side-panel"
          onClick={() => show(id)}
        >
          {words}
          {id === "stops" && stops > 0 && <span className="badge">{stops}</span>}
        </button>
      ))}
    </div>
  );
}
