import type { ReactNode } from "react";
import { useWorkbench } from "../../app/context";
import type { MapZoom } from "../../app/store";
import { blockPages } from "../../app/zooms";
import type { Level } from "../../draw/map/levels";
import { count, hex } from "../../engine/format";
import type { Info, NodeInfo, View } from "../../engine/types";
import { CRUMBS } from "./words";
import { zoneAt } from "./zoom-words";

/** Breadcrumb links, each one level further out: node 0 / DMA32 / block 663 / 0x52fcb. */
export function Crumbs({
  info,
  node,
  view,
  zoom: { level, pfn },
  corners,
}: {
  info: Info;
  node: NodeInfo;
  view: View;
  zoom: MapZoom;
  /** A legend of the cells' corner marks. */
  corners: ReactNode;
}) {
  const workbench = useWorkbench();
  const zone = zoneAt(view.zones, node.id, pfn)?.name ?? "";
  const block = `block ${count(Math.floor(pfn / blockPages(info)))}`;
  // A small machine has no level between the node and a page: these steps are text, not links.
  const steps: readonly (readonly [Level, string, boolean])[] = [
    ["node", `node ${node.id}`, true],
    ["zone", zone, !info.teaching],
    ["block", block, !info.teaching],
    ["page", hex(pfn), true],
  ];
  const visible = steps.slice(0, steps.findIndex(([id]) => id === level) + 1);
  return (
    <nav className="crumbs" aria-label={CRUMBS.wherePageMap(node.id)}>
      <ol>
        {visible.map(([id, words, isLevel]) => (
          <li key={id}>
            {isLevel && id !== level ? (
              <button type="button" onClick={() => workbench.zooms.to(node.id, id, pfn)}>
                {words}
              </button>
            ) : (
              <span aria-current={id === level ? "location" : undefined}>{words}</span>
            )}
          </li>
        ))}
      </ol>
      {corners}
    </nav>
  );
}
