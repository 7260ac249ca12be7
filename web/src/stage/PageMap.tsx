import type { NodeMap } from "../engine/protocol";
import type { Info, NodeInfo, View } from "../engine/types";
import { CellMap } from "./CellMap";
import { FrameMap } from "./FrameMap";
import { StateTable } from "./StateTable";

/** What a node's map needs. */
export interface MapProps {
  readonly info: Info;
  readonly node: NodeInfo;
  readonly view: View;
  /** Tiles or cells in a row, and the width of each. */
  readonly tiles: number;
  readonly tile_px: number;
}

/** A node's memory as a picture, with a line that says what is under the pointer. */
export function PageMap({ map, ...props }: MapProps & { map: NodeMap }) {
  return (
    <div className="map">
      {map.kind === "frames" ? <FrameMap {...props} map={map} /> : <CellMap {...props} map={map} />}
      <StateTable node={props.node.id} zones={props.view.zones} />
    </div>
  );
}
