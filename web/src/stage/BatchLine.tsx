import type { ReactNode } from "react";
import { FATES, handToken, LRU_LISTS } from "../draw/lru-lists";
import { efficiency } from "../draw/reclaim";
import { STATES } from "../draw/states";
import { count } from "../engine/format";
import type { BatchView, LruView, View } from "../engine/types";
import { Name } from "../ui/lit";
import { RichText } from "../ui/rich-text";
import { Swatch } from "../ui/swatch";
import { BATCH_LINE } from "./words";

/** The pages that one call of reclaim isolated, and their fates. */
export function BatchLine({
  view,
  lru,
  batch,
}: {
  view: View;
  lru: LruView;
  batch: BatchView | undefined;
}) {
  if (!batch) {
    const isEmpty = lru.lists.every((pages) => pages === 0);
    return (
      <span className={isEmpty ? "cap" : "cap how"}>
        {isEmpty ? BATCH_LINE.theseListsAreEmpty : BATCH_LINE.pagesJoinAtHead}
      </span>
    );
  }
  const task = view.tasks.find(({ id }) => id === batch.task);
  const list = LRU_LISTS.find((isShown) => isShown.list === batch.list);
  const isOpen = batch.pages.length > 0;
  const freed = batch.fates[2] ?? 0;
  return (
    <>
      <Name k={`task ${batch.task}`} className={isOpen ? "pill on" : "pill off"}>
        {task?.name ?? BATCH_LINE.task(batch.task)}
      </Name>
      <span className="cap">
        <RichText
          text={BATCH_LINE.isolated}
          parts={{
            taken: <b>{count(batch.taken)}</b>,
            list: <span className="of">{list?.words}</span>,
          }}
        />
      </span>
      {FATES.map(({ words }, fate) => {
        const pages = batch.fates[fate] ?? 0;
        if (pages === 0) return null;
        return (
          <Fate key={words} fate={fate} list={batch.list}>
            <b>{count(pages)}</b> {words}
          </Fate>
        );
      })}
      {!isOpen && batch.list % 2 === 0 && (
        <span className="cap">{BATCH_LINE.freed(efficiency(freed, batch.taken))}</span>
      )}
    </>
  );
}

/** The state of a page that was kept, activated or deactivated on a list. */
function tokenOf(fate: number, list: number): string {
  const file = list >= 2 ? 2 : 0;
  const active = fate === 4 || (fate === 3 && list % 2 === 1);
  const state = 1 + file + (active ? 0 : 1);
  return handToken({ pfn: 0, fate, state: fate === 5 ? 6 : state });
}

function Fate({ fate, list, children }: { fate: number; list: number; children: ReactNode }) {
  const token = tokenOf(fate, list);
  return (
    <span className="fate">
      {token === "freed" ? (
        <svg width="9" height="11" aria-hidden="true">
          <rect className="freed" x="0.5" y="0.5" width="8" height="10" />
        </svg>
      ) : (
        STATES.some((state) => state.token === token) && <Swatch token={token} />
      )}
      {children}
    </span>
  );
}
