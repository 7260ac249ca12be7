import { useWorkbenchState } from "../../app/context";
import { litHovered, litSelected } from "../../app/selection";
import { firstFrame, type Point, type Port } from "../../draw/map/levels";
import { edgeMark, middleOf } from "../../draw/map/zoom";
import type { NodeInfo, View } from "../../engine/types";
import type { Scene } from "./scene";
import { EDGE_MARKS } from "./words";

const MARGIN_PX = 10;

/** Arrows at the nearest edge for pages of this node that are outside the view. */
export function EdgeMarks({
  scene,
  port,
  node,
  view,
}: {
  scene: Scene;
  port: Port;
  node: NodeInfo;
  view: View;
}) {
  const hovered = useWorkbenchState(litHovered);
  const selected = useWorkbenchState(litSelected);
  const deciding = view.events.flatMap(({ pfn }) => pfn ?? []);
  const marks = [
    ...selected.map((key) => [key, "select"] as const),
    ...hovered.map((key) => [key, "hover"] as const),
    ...deciding.map((pfn) => [`page ${pfn}`, "now"] as const),
  ];
  const seen = new Set<string>();
  return (
    <svg className="overlay edges" width={port.width} height={port.height} aria-hidden="true">
      {marks.map(([key, look]) => {
        const pfn = key.startsWith("page ") ? Number(key.slice(5)) : null;
        if (pfn === null || firstFrame(node.ranges, pfn, pfn + 1) === null) return null;
        const mark = edgeMark(port, placeOf(scene, pfn), MARGIN_PX);
        const id = mark && `${Math.round(mark.x)} ${Math.round(mark.y)}`;
        if (!mark || !id || seen.has(id)) return null;
        seen.add(id);
        return (
          <g
            key={id}
            className={`edge ${look}`}
            transform={`translate(${mark.x} ${mark.y}) rotate(${mark.turn_deg})`}
          >
            <title>{EDGE_MARKS.isOutsideView(pfn)}</title>
            <path d="M8 0-4 -7v14z" />
          </g>
        );
      })}
    </svg>
  );
}

/** The position of a page, or the side of the block on which it lies. */
function placeOf({ layout, indexOf, pfnOf }: Scene, pfn: number): Point {
  const cell = indexOf(pfn);
  if (cell !== null) return middleOf(layout, cell);
  const isBefore = pfn < (pfnOf(0) ?? 0);
  return { x: isBefore ? 0 : layout.width, y: isBefore ? -100 : layout.height + 100 };
}
