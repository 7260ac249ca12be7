import { useMemo } from "react";
import { type CellLayout, type MixedCells, mixedCells } from "../../draw/map/cellmap";
import type { TileLayout } from "../../draw/map/pagemap";
import { STATES } from "../../draw/states";
import { count } from "../../engine/format";
import type { NodeMap } from "../../engine/protocol";
import type { ZoneView } from "../../engine/types";
import { STATE_TABLE } from "./words";

type Mixed = ReadonlyMap<string, MixedCells>;

/** The mixed cells of a map by zone, if it has cells: how many hold pages of several states. */
export function useMixed(layout: TileLayout | CellLayout, map: NodeMap): Mixed | null {
  const shares = map.kind === "cells" ? map.shares : null;
  return useMemo(() => shares && mixedCells(layout, shares), [layout, shares]);
}

/** The map's contents as a table, for screen readers. */
export function StateTable({
  node,
  zones,
  mixed,
}: {
  node: number;
  zones: readonly ZoneView[];
  mixed: Mixed | null;
}) {
  const here = zones.filter((zone) => zone.node === node);
  return (
    <div className="sr">
      <table>
        <caption>{STATE_TABLE.pagesOfNode(node)}</caption>
        <thead>
          <tr>
            <th scope="col">{STATE_TABLE.zone}</th>
            {STATES.map(({ words }) => (
              <th key={words} scope="col">
                {words}
              </th>
            ))}
            {mixed && <th scope="col">{STATE_TABLE.cells}</th>}
            {mixed && <th scope="col">{STATE_TABLE.cellsOfSeveralStates}</th>}
          </tr>
        </thead>
        <tbody>
          {here.map(({ key, name, states }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              {STATES.map(({ words }, state) => (
                <td key={words}>{count(states[state] ?? 0)}</td>
              ))}
              {mixed && <td>{count(mixed.get(key)?.cells ?? 0)}</td>}
              {mixed && <td>{count(mixed.get(key)?.mixed ?? 0)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
