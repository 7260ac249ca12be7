import { type RefObject, useEffect, useRef, useState } from "react";
import { useWorkbench } from "../../app/context";
import { afterFirstFigure } from "../../ui/first-figure";
import { useRoomFor } from "./box";
import { useNodeLayout, useNodeScene, useZones } from "./node-scene";
import { Sight } from "./Sight";
import { StateTable, useMixed } from "./StateTable";
import type { PageMapProps } from "./scene";

type Zoomable = typeof import("./ZoomMap").default;
let zoomable: Zoomable | null = null;

/** Fetches the code that zooms a map. */
async function fetchZoom(): Promise<Zoomable> {
  zoomable ??= (await import("./ZoomMap")).default;
  return zoomable;
}

/**
 * A node's memory as a picture. The code that zooms it loads after the first figure, in the same
 * place.
 */
export function PageMap(props: PageMapProps) {
  const [Zoom, setZoom] = useState<Zoomable | null>(() => zoomable);
  const whole = useRef<HTMLDivElement>(null);
  const isHeld = useRef(false);
  const cursor = useRef<number | null>(null);
  const isZoomable = props.zoomed !== null && Zoom === null;
  useEffect(() => {
    if (!isZoomable) return;
    const show = (fetched: Zoomable) => {
      isHeld.current = whole.current?.contains(document.activeElement) ?? false;
      setZoom(() => fetched);
    };
    let isDisposed = false;
    // If that code does not load, the map cannot be zoomed.
    afterFirstFigure(fetchZoom).then(
      (fetched) => !isDisposed && show(fetched),
      () => {},
    );
    return () => {
      isDisposed = true;
    };
  }, [isZoomable]);
  if (!props.zoomed || !Zoom) return <WholeMap {...props} box={whole} at={cursor} />;
  return <Zoom {...props} isHeld={isHeld.current} begun={cursor.current} />;
}

/** A whole node, with a line that describes the cell under the pointer. */
function WholeMap(
  props: PageMapProps & {
    box: RefObject<HTMLDivElement | null>;
    /** The chosen cell, for the map that replaces this one. */
    at: RefObject<number | null>;
  },
) {
  const workbench = useWorkbench();
  const { node, view, map, zoomed } = props;
  const zones = useZones(props);
  const layout = useNodeLayout(props, zones, map);
  const scene = useNodeScene({ ...props, isZoomable: zoomed !== null }, zones, layout);
  const { least_px } = useRoomFor(props, layout.height);
  const [cursor, setCell] = useState<number | null>(null);
  const setCursor = (cell: number | null) => {
    setCell(cell);
    props.at.current = cell;
    const pfn = cell === null ? null : scene.pfnOf(cell);
    if (scene.isPages) workbench.hover(pfn === null ? null : `page ${pfn}`);
  };
  return (
    <div className="map">
      <div ref={props.box} className="map-box" style={{ minHeight: least_px }}>
        <Sight node={node} view={view} scene={scene} cursor={cursor} setCursor={setCursor} />
      </div>
      <p className="axis">
        <span className={cursor === null ? "" : "readout"}>
          {cursor === null ? scene.axis : scene.say(cursor)}
        </span>
      </p>
      <StateTable node={node.id} zones={view.zones} mixed={useMixed(layout, map)} />
    </div>
  );
}
