import { createContext, useContext } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Face } from "../app/store";
import { FACE_TABS } from "./words";

const FACES: readonly (readonly [Face, string])[] = [
  ["lru", FACE_TABS.lruLists],
  ["free", FACE_TABS.freeLists],
];

/** Another face that can replace the lists. */
export interface MoreFace {
  readonly has: boolean;
  readonly isShown: boolean;
  readonly show: (isShown: boolean) => void;
}

/** The queues of throttled reclaimers, and pageblocks with compaction. */
export interface MoreFaces {
  readonly queues: MoreFace;
  readonly blocks: MoreFace;
}

const NONE: MoreFace = { has: false, isShown: false, show: () => {} };

/** Without a run there are no queues and no pageblocks. */
export const MoreFacesContext = createContext<MoreFaces>({ queues: NONE, blocks: NONE });

/** The faces that share an area: all, or one kind of lists with the faces that may replace it. */
export type FaceGroup = "all" | "lru" | "free";

/** Tabs that choose which face all nodes show in a shared area. */
export function FaceTabs({ of }: { of: FaceGroup }) {
  const workbench = useWorkbench();
  const face = useWorkbenchState((state) => state.face);
  const { queues, blocks } = useContext(MoreFacesContext);
  const isAll = of === "all";
  const more = [
    { words: FACE_TABS.waitQueues, face: queues, isHere: of !== "lru" },
    { words: FACE_TABS.pageblocks, face: blocks, isHere: of !== "free" },
  ].filter(({ face: { has }, isHere }) => has && isHere);
  const isMore = more.some((each) => each.face.isShown);
  const show = (shown: MoreFace | null) => {
    for (const each of more) each.face.show(each.face === shown);
  };
  return (
    <span className="faces">
      {FACES.filter(([id]) => isAll || id === of).map(([id, words]) => (
        <button
          key={id}
          type="button"
          data-term={id === "lru" ? "lru-list" : "free-list"}
          aria-pressed={!isMore && (!isAll || id === face)}
          onClick={() => {
            show(null);
            if (isAll) workbench.keep({ face: id });
          }}
        >
          {words}
        </button>
      ))}
      {more.map(({ words, face: each }) => (
        <button key={words} type="button" aria-pressed={each.isShown} onClick={() => show(each)}>
          {words}
        </button>
      ))}
    </span>
  );
}
