import { useWorkbenchState } from "../app/context";
import { type LruPages, SLOTS } from "../draw/lru-lists";
import { ownerWords } from "../draw/reclaim";
import type { View } from "../engine/types";
import { Term } from "../ui/term";
import { type FaceGroup, FaceTabs } from "./FaceTabs";
import { LruRows } from "./LruRows";
import { OwnerTabs } from "./OwnerTabs";
import { LRU_LISTS } from "./words";

interface ListsProps {
  readonly node: number;
  readonly view: View;
  /** Lists by owner, in the order of `View.lru`. */
  readonly lists: readonly (readonly LruPages[])[];
  /** The available width. */
  readonly width_px: number;
  /** The lists that share a line, see `LruRows`. */
  readonly folded: readonly boolean[];
  /** The faces that share its place; null if there are none. */
  readonly place: FaceGroup | null;
}

/**
 * A node's LRU lists: one set for each zone, or one for the node, depending on the kernel.
 */
export function LruLists({ node, view, lists, width_px, folded, place }: ListsProps) {
  const chosen = useWorkbenchState((state) => state.lists[String(node)]);
  const here = view.lru.flatMap((lru, i) =>
    lru.node === node ? [{ lru, lists: lists[i] ?? [] }] : [],
  );
  const held = view.batches.find(({ owner }) => here.some(({ lru }) => lru.key === owner));
  const current =
    here.find(({ lru }) => lru.key === chosen) ??
    here.find(({ lru }) => lru.key === held?.owner) ??
    here.findLast(({ lru }) => lru.lists.some((pages) => pages > 0)) ??
    here.at(-1);
  if (!current) return null;
  const isOfNode = !current.lru.key.includes("/");
  const zones = view.zones.filter((zone) => zone.node === node).map(({ name }) => name);
  return (
    <section className="lru" aria-label={LRU_LISTS.lruListsOf(ownerWords(current.lru.key))}>
      <div className="hd">
        {place ? (
          <FaceTabs of={place} />
        ) : (
          <span className="label">
            <Term id="lru-list" tabIndex={node === 0 ? undefined : -1}>
              {LRU_LISTS.lruLists}
            </Term>
          </span>
        )}
        {isOfNode ? (
          <span className="cap">
            {zones.length > 1 ? LRU_LISTS.sharedByZonesOfNode(node) : LRU_LISTS.ofNode(node)}
          </span>
        ) : (
          <OwnerTabs
            node={node}
            what={LRU_LISTS.lruLists}
            owners={here.map(({ lru }) => lru.key)}
            owner={current.lru.key}
          />
        )}
        {current.lru.congested && <span className="pill">{LRU_LISTS.congested}</span>}
        <span className="cap ends">{LRU_LISTS.oldestPagesTailAtRight(SLOTS)}</span>
      </div>
      <LruRows
        view={view}
        lru={current.lru}
        lists={current.lists}
        batches={view.batches.filter(({ owner }) => owner === current.lru.key)}
        width_px={width_px}
        folded={folded}
      />
    </section>
  );
}
