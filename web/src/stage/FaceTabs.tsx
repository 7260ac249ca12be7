import { createContext, useContext } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Face } from "../app/store";

const FACES: readonly (readonly [Face, string])[] = [
  ["lru", "LRU lists"],
  ["free", "Free lists"],
];

/** The queues of throttled reclaimers, where a run has them: they share the place of the lists. */
export interface QueueFace {
  readonly has: boolean;
  readonly isShown: boolean;
  readonly show: (isShown: boolean) => void;
}

/** No run, no queues. */
export const QueueFaceContext = createContext<QueueFace>({
  has: false,
  isShown: false,
  show: () => {},
});

/** Chooses what all nodes show in one place: lists, or the queues of who waits. */
export function FaceTabs({ isOfQueues = false }: { isOfQueues?: boolean }) {
  const workbench = useWorkbench();
  const face = useWorkbenchState((state) => state.face);
  const queues = useContext(QueueFaceContext);
  const lists = FACES.filter(([id]) => !isOfQueues || id === "free");
  return (
    <span className="faces">
      {lists.map(([id, words]) => (
        <button
          key={id}
          type="button"
          aria-pressed={!queues.isShown && (isOfQueues || id === face)}
          onClick={() => {
            queues.show(false);
            if (!isOfQueues) workbench.keep({ face: id });
          }}
        >
          {words}
        </button>
      ))}
      {queues.has && (
        <button type="button" aria-pressed={queues.isShown} onClick={() => queues.show(true)}>
          Wait queues
        </button>
      )}
    </span>
  );
}
