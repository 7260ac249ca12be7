import { useWorkbench } from "../app/context";
import { ownerWords } from "../draw/reclaim";
import { OWNER_TABS } from "./words";

/** Tabs that choose the zone whose lists or blocks a node shows. */
export function OwnerTabs({
  node,
  what,
  owners,
  owner,
}: {
  node: number;
  /** The kind of content: "LRU lists". */
  what: string;
  owners: readonly string[];
  owner: string;
}) {
  const workbench = useWorkbench();
  return (
    <span className="tabs">
      {owners.map((key) => (
        <button
          key={key}
          type="button"
          aria-label={OWNER_TABS.whatOfOwner(what, ownerWords(key))}
          aria-pressed={key === owner}
          onClick={() => workbench.showLists(node, key)}
        >
          {key.split("/")[1]}
        </button>
      ))}
    </span>
  );
}
