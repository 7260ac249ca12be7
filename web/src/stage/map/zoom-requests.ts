// The engine's data for zoomed maps.

import { useEffect, useRef } from "react";
import { useWorkbench, useWorkbenchState } from "../../app/context";
import type { MapZoom } from "../../app/store";
import { blockPages, validZoom } from "../../app/zooms";
import type { Frame, Zoomed, ZoomRequest } from "../../engine/protocol";
import type { Info, NodeInfo } from "../../engine/types";

/** The data that a zoom needs: every block's migrate type, or every page of a block. */
export function zoomRequest(
  info: Info,
  node: NodeInfo,
  { level, pfn }: MapZoom,
  map: Frame["maps"][number],
): ZoomRequest {
  const block = blockPages(info);
  if (level !== "zone") {
    const first_pfn = Math.floor(pfn / block) * block;
    return { node: node.id, level: "block", first_pfn, count: block, stride: 1, span: null };
  }
  const start = Math.floor(Math.min(...node.ranges.map(([first]) => first)) / block) * block;
  const end = Math.max(...node.ranges.map(([first, pages]) => first + pages));
  const count = Math.ceil((end - start) / block);
  // A block is requested by its middle: frame 0 of a machine does not exist.
  const first_pfn = start + block / 2;
  const span = map.kind === "cells" && map.span === block ? null : block;
  return { node: node.id, level: "zone", first_pfn, count, stride: block, span };
}

/** Is this the answer to that request? */
const isLookOf = (zoomed: Zoomed, look: ZoomRequest): boolean =>
  zoomed.node === look.node &&
  zoomed.level === look.level &&
  zoomed.first_pfn === look.first_pfn &&
  (look.span === null || zoomed.shares !== null);

/** A map's zoom, with the engine's data. */
export interface CurrentZoom {
  readonly zoom: MapZoom | null;
  readonly zoomed: Zoomed | null;
}

/**
 * The zoom that a map shows: the requested one if the engine has answered exactly that request.
 * Until then the earlier level stays, because an earlier request may be answered last.
 */
export function currentZoom(
  {
    info,
    node,
    map,
    zoomed: answers,
  }: {
    readonly info: Info;
    readonly node: NodeInfo;
    readonly map: Frame["maps"][number];
    readonly zoomed: readonly Zoomed[] | null;
  },
  requested: MapZoom | undefined,
): CurrentZoom {
  const zoom = answers ? validZoom(info, node, requested) : null;
  const zoomed = answers?.find((look) => look.node === node.id) ?? null;
  if (!zoom) return { zoom: null, zoomed: null };
  if (zoomed && isLookOf(zoomed, zoomRequest(info, node, zoom, map))) return { zoom, zoomed };
  if (!zoomed || info.teaching) return { zoom: null, zoomed: null };
  const { level, first_pfn } = zoomed;
  return { zoom: { level, pfn: level === "zone" ? zoom.pfn : first_pfn }, zoomed };
}

/** Keeps the engine informed of the maps' zooms. */
export function useZoomRequests(info: Info, maps: Frame["maps"]): void {
  const workbench = useWorkbench();
  const zoom = useWorkbenchState((state) => state.zoom);
  const requests = info.nodes.flatMap((node, i) => {
    const valid = validZoom(info, node, zoom[String(node.id)]);
    const map = maps[i];
    return valid && map ? [zoomRequest(info, node, valid, map)] : [];
  });
  const isLooking = useRef(false);
  // An engine that opened another experiment has lost the requests; most engines never had any.
  // biome-ignore lint/correctness/useExhaustiveDependencies: requests are compared by value
  useEffect(() => {
    if (requests.length > 0 || isLooking.current) workbench.look(requests);
    isLooking.current = requests.length > 0;
  }, [workbench, info, JSON.stringify(requests)]);
}
