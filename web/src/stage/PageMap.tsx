import { type CSSProperties, lazy, Suspense, useRef } from "react";
import { hex } from "../draw/format";
import type { Level } from "../draw/zoom";
import type { NodeMap, Zoomed } from "../engine/protocol";
import { Canvas } from "../ui/Canvas";
import { useFit } from "../ui/fit";
import { usePalette } from "../ui/theme";
import { useWorkbench, useWorkbenchState } from "../workbench/context";
import type { MapZoom } from "../workbench/store";
import { validZoom } from "../workbench/zooms";
import { useHeight, useHeldFocus } from "./box";
import { Crumbs } from "./Crumbs";
import { EdgeMarks } from "./EdgeMarks";
import { useCrossFade } from "./fade";
import { isLookOf, lookAt } from "./looks";
import { MapGrid } from "./MapGrid";
import { MapMarks } from "./MapMarks";
import { type MapMoves, useMap } from "./map-moves";
import { useNodeLayout, useNodeScene, useZones } from "./node-scene";
import { StateTable } from "./StateTable";
import type { MapProps, Scene } from "./scene";
import { useZoomScene } from "./zoom-scene";

const PageCard = lazy(() => import("./PageCard"));

interface PageMapProps extends MapProps {
  readonly map: NodeMap;
  /** Looks of this moment; a map beside a text has none and is not zoomed. */
  readonly looks: readonly Zoomed[] | null;
}

/** What is said of a zoom once the engine has looked: the old level stays until then. */
function useShown({ info, node, map, looks }: PageMapProps) {
  const wanted = useWorkbenchState((state) => state.zoom[String(node.id)]);
  const zoom = looks ? validZoom(info, node, wanted) : null;
  const zoomed = looks?.find((look) => look.node === node.id) ?? null;
  const isThere = zoom && zoomed && isLookOf(zoomed, lookAt(info, node, zoom, map));
  if (!zoom) return { zoom: null, zoomed: null };
  if (isThere) return { zoom, zoomed };
  if (!zoomed || info.teaching) return { zoom: null, zoomed: null };
  const last: MapZoom = {
    level: zoomed.level,
    pfn: zoomed.level === "zone" ? zoom.pfn : zoomed.first_pfn,
  };
  return { zoom: last, zoomed };
}

/** A node's memory as a picture, from all of it to one page, with a line that says what is under
 * the pointer. */
export function PageMap(props: PageMapProps) {
  const { info, node, view } = props;
  const isZoomable = props.looks !== null;
  const { zoom, zoomed } = useShown(props);
  const level: Level = zoom?.level ?? "node";
  const zones = useZones(props);
  const layout = useNodeLayout(props, zones, props.map);
  const whole = useNodeScene({ ...props, isZoomable }, zones, layout);
  const box = useRef<HTMLDivElement>(null);
  const { crumbs_px, box_px: enough_px } = useFit().hasTouch ? TOUCHED : POINTED;
  const least_px = isZoomable ? Math.max(layout.height, enough_px) : layout.height;
  const box_px = useHeight(box, least_px);
  const room = { x: 0, y: crumbs_px, width: layout.width, height: box_px - crumbs_px };
  const closer = useZoomScene(props, zones, layout, room, info.teaching ? null : zoomed);
  const scene = closer ?? whole;
  const moves = useMap({ ...props, isZoomable }, scene, zoom, room, box);
  const shown = level === "page" ? "page" : scene.key;
  useCrossFade(box, shown);
  useHeldFocus(box, shown);
  return (
    <div className="map" data-level={level}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the map inside, whatever part of it has the focus */}
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
          <Sight props={props} scene={scene} moves={moves} />
        )}
      </div>
      <Axis level={level} scene={scene} cursor={moves.cursor} pfn={zoom?.pfn ?? 0} />
      <StateTable node={node.id} zones={view.zones} />
    </div>
  );
}

const boxStyle = (
  minHeight: number,
  crumbs_px: number,
): CSSProperties & Record<"--crumbs", string> => ({ minHeight, "--crumbs": `${crumbs_px}px` });

/** Height of the way back, and of a box with room for a zoomed map below it; fingers need more. */
const POINTED = { crumbs_px: 24, box_px: 126 };
const TOUCHED = { crumbs_px: 44, box_px: 240 };

/** The picture, its marks and its cursor. */
function Sight({ props, scene, moves }: { props: PageMapProps; scene: Scene; moves: MapMoves }) {
  const { cursor, setCursor, enter, camera } = moves;
  const { port } = camera;
  const workbench = useWorkbench();
  const palette = usePalette();
  const { node, view } = props;
  const isWhole = scene.level === "node";
  const { layout, isPages } = scene;
  const inView = isWhole ? { x: 0, y: 0, width: layout.width, height: layout.height } : port;
  const press = (cell: number) => {
    const pfn = scene.pfnOf(cell);
    if (pfn !== null) workbench.select(`page ${pfn}`);
  };
  return (
    <MapGrid
      label={scene.label}
      layout={layout}
      count={scene.count}
      cursor={cursor}
      setCursor={setCursor}
      say={scene.say}
      press={isPages ? press : undefined}
      enter={props.looks ? enter : undefined}
      port={isWhole ? undefined : port}
    >
      <Canvas
        width={inView.width}
        height={inView.height}
        draw={(g) => scene.paint(g, palette, inView)}
      />
      <MapMarks
        layout={layout}
        view={view}
        node={node.id}
        indexOf={scene.indexOf}
        isOff={scene.isOff}
        hasBlocks={isPages}
        port={inView}
        cursor={isPages ? null : cursor}
      />
      {!isWhole && <EdgeMarks scene={scene} port={port} node={node} view={view} />}
    </MapGrid>
  );
}

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
        <span>Page {hex(pfn)}; arrow keys turn to the next, Esc leads back</span>
      ) : (
        <span className={words ? "readout" : ""}>{words ?? scene.axis}</span>
      )}
    </p>
  );
}
