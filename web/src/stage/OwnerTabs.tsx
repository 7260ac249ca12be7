import { useWorkbench } from "../app/context";
import { ownerWords } from "../draw/reclaim";
import { OWNER_TABS } from "./words";

/** Tabs that choose the zone whose lists or blocks a node shows. */
export function OwnerTabs({
  node,
  what,
  owners,
  shown,
}: {
  node: number;
  /** The kind of content: "LRU lists". */
  what: string;
  owners: readonly string[];
  shown: string;
}) {
  const workbench = useWorkbench();
  return (
    <span className="tabs">
      {owners.map((key) => (
        <button
          key={key}
          type="button"
          aria-label={OWNER_TABS.whatOfOwner(what, ownerWords(key))}
          aria-pressed={key === shown}
          onClick={() => workbench.showLists(node, key)}
        >
          {key.split("/")[1]}
        </button>
      ))}
    </span>
  );
}
