import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Face } from "../app/store";

const FACES: readonly (readonly [Face, string])[] = [
  ["lru", "LRU lists"],
  ["free", "Free lists"],
];

/** Chooses which lists all nodes show: they share one place. */
export function FaceTabs() {
  const workbench = useWorkbench();
  const face = useWorkbenchState((state) => state.face);
  return (
    <span className="faces">
      {FACES.map(([id, words]) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === face}
          onClick={() => workbench.keep({ face: id })}
        >
          {words}
        </button>
      ))}
    </span>
  );
}
