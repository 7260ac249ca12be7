import { type CSSProperties, lazy, Suspense, useRef } from "react";
import { useWorkbenchState } from "../../app/context";
import type { Level } from "../../draw/map/levels";
import { useHeight, useHeldFocus, useRoomFor } from "./box";
import { Crumbs } from "./Crumbs";
import { EdgeMarks } from "./EdgeMarks";
import { useCrossFade } from "./fade";
import { useMap } from "./map-moves";
import { useNodeLayout, useNodeScene, useZones } from "./node-scene";
import { Sight } from "./Sight";
import { StateTable, useMixed } from "./StateTable";
import type { PageMapProps, Scene } from "./scene";
import { currentZoom } from "./zoom-requests";
import { useZoomScene } from "./zoom-scene";
import "./zoom.css";
import { ZOOM_MAP } from "./words";

const PageCard = lazy(() => import("./PageCard"));

/**
 * A node's memory as a picture, from the whole node to one page, with a line that describes the
 * cell under the pointer.
 */
export default function ZoomMap(
  props: PageMapProps & {
    /** The map that it replaces had the focus. */
    readonly isHeld: boolean;
    /** The cell that was chosen there. */
    readonly begun: number | null;
  },
) {
  const { info, node, view } = props;
  const requested = useWorkbenchState((state) => state.zoom[String(node.id)]);
  const { zoom, zoomed } = currentZoom(props, requested);
  const level: Level = zoom?.level ?? "node";
  const zones = useZones(props);
  const layout = useNodeLayout(props, zones, props.map);
  const whole = useNodeScene({ ...props, isZoomable: true }, zones, layout);
  const box = useRef<HTMLDivElement>(null);
  const { crumbs_px, least_px } = useRoomFor(props, layout.height);
  const box_px = useHeight(box, least_px);
  const room = { x: 0, y: crumbs_px, width: layout.width, height: box_px - crumbs_px };
  const closer = useZoomScene(props, zones, layout, room, info.teaching ? null : zoomed);
  const scene = closer ?? whole;
  const moves = useMap(props, scene, zoom, room, box);
  const visibleLevel = level === "page" ? "page" : scene.key;
  useCrossFade(box, visibleLevel);
  useHeldFocus(box, visibleLevel, props.isHeld);
  return (
    <div className="map" data-level={level}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the map inside, whichever part of it has the focus */}
      <div
        ref={box}
        className="map-box"
        style={boxStyle(least_px, crumbs_px)}
        onKeyDown={moves.onKeyDown}
      >
        {zoom && (
          <Crumbs
            info={info}
            node={node}
            view={view}
            zoom={zoom}
            corners={level === "page" ? undefined : scene.corners}
          />
        )}
        {zoom?.level === "page" && zoomed ? (
          <Suspense>
            <PageCard {...props} zoomed={zoomed} pfn={zoom.pfn} room={room} />
          </Suspense>
        ) : (
          <Sight
            node={node}
            view={view}
            scene={scene}
            port={scene.level === "node" ? undefined : moves.camera.port}
            cursor={moves.cursor}
            setCursor={moves.setCursor}
            enter={moves.enter}
          >
            {scene.level !== "node" && (
              <EdgeMarks scene={scene} port={moves.camera.port} node={node} view={view} />
            )}
          </Sight>
        )}
      </div>
      <Axis level={level} scene={scene} cursor={moves.cursor} pfn={zoom?.pfn ?? 0} />
      <StateTable node={node.id} zones={view.zones} mixed={useMixed(layout, props.map)} />
    </div>
  );
}

const boxStyle = (
  minHeight: number,
  crumbs_px: number,
): CSSProperties & Record<"--crumbs", string> => ({ minHeight, "--crumbs": `${crumbs_px}px` });

function Axis({
  level,
  scene,
  cursor,
  pfn,
}: {
  level: Level;
  scene: Scene;
  cursor: number | null;
  pfn: number;
}) {
  const words = cursor === null ? null : scene.say(cursor);
  return (
    <p className="axis" title={words ?? undefined}>
      {level === "page" ? (
        <span>{ZOOM_MAP.pageArrowKeysOther(pfn)}</span>
      ) : (
        <span className={words ? "readout" : ""}>{words ?? scene.axis}</span>
      )}
    </p>
  );
}
