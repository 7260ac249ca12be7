import { useLayoutEffect, useRef, useState } from "react";
import { type RouteStop, routeHops } from "../draw/route";
import { orderWords } from "../engine/format";
import type { Info, Route, View } from "../engine/types";
import { beforeDrawing } from "../ui/before-drawing";
import { Name } from "../ui/lit";
import { ROUTE_LINE } from "./words";

const WEIGHT = { walked: 2, next: 1.5, rest: 1.5 } as const;
/**
 * The label's middle is this far above the first stop; its left end is right of the stop's centre.
 */
const LABEL_UP_PX = 23;
const LABEL_RIGHT_PX = 24;
/**
 * The label's width in one line, and the width of a letter: it starts further left if it would
 * wrap.
 */
const LABEL_PX = 90;
const LETTER_PX = 5.6;

/** The zonelist as a route above the tanks, with the task that walks it. */
export function RouteLine({
  view,
  info,
  width_px,
}: {
  view: View;
  info: Info;
  /** Width of the machine. */
  width_px: number;
}) {
  const { route } = view;
  const svg = useRef<SVGSVGElement>(null);
  const stops = useStops(svg, route);
  if (!route) return <p className="route-label dim">{ROUTE_LINE.noAllocationInProgress}</p>;
  const [first] = stops;
  const words = routeWords(route, info.page_size);
  const room = width_px - LABEL_PX - LETTER_PX * words.length;
  const left = Math.max(0, Math.min((first?.x ?? 0) + LABEL_RIGHT_PX, room));
  return (
    <>
      <svg ref={svg} className="metro" aria-hidden="true">
        {routeHops(stops).map(({ path, look }, i) => (
          <path
            // biome-ignore lint/suspicious/noArrayIndexKey: the line is always drawn as a whole
            key={i}
            d={path}
            className={`hop-${look}`}
            strokeWidth={WEIGHT[look]}
            strokeDasharray={look === "next" ? "4 3" : undefined}
          />
        ))}
      </svg>
      <RouteLabel
        route={route}
        view={view}
        words={words}
        place={first ? { left, top: first.y - LABEL_UP_PX, maxWidth: width_px - left } : {}}
      />
    </>
  );
}

/** The middle of a zone's upper edge in the machine, px. */
interface Coordinates {
  readonly x: number;
  readonly y: number;
}

/**
 * The positions of the stops, measured after every render, because the browser lays out the nodes.
 */
function useStops(
  svg: React.RefObject<SVGSVGElement | null>,
  route: Route | null,
): readonly RouteStop[] {
  const [places, setPlaces] = useState<Readonly<Record<string, Coordinates>>>({});
  const measure = () => {
    const machine = svg.current?.parentElement;
    if (!machine || !route) return;
    const found: Record<string, Coordinates> = {};
    for (const { zone } of route.stops) {
      const circle = machine.querySelector<HTMLElement>(`[data-zone="${zone}"] .stop`);
      if (!circle) continue;
      const { offsetLeft, offsetTop, offsetWidth } = circle;
      found[zone] = { x: offsetLeft + offsetWidth / 2, y: offsetTop };
    }
    setPlaces((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found));
  };
  // Rendering and measuring in one task would be too long.
  useLayoutEffect(() => (route ? beforeDrawing(measure) : undefined));
  return (route?.stops ?? []).flatMap(({ zone, state }) => {
    const place = places[zone];
    return place ? { ...place, state } : [];
  });
}

function RouteLabel({
  route,
  view,
  words,
  place,
}: {
  route: Route;
  view: View;
  words: string;
  place: { left?: number; top?: number; maxWidth?: number };
}) {
  const task = view.tasks.find(({ id }) => id === route.task);
  return (
    <p className="route-label" style={place}>
      <Name k={`task ${route.task}`} className="pill on">
        {task?.name ?? ROUTE_LINE.task(route.task)}
      </Name>
      <span>{words}</span>
    </p>
  );
}

/**
 * " serves it, fallback from node 0 to 1": the page is from another node than the one requested.
 */
function gaveWords(stop: Route["stops"][number] | undefined, node: number): string {
  if (stop?.state !== "took") return "";
  const [other] = stop.zone.split("/");
  return Number(other) === node ? ROUTE_LINE.servesIt : ROUTE_LINE.servesItFallback(node, other);
}

/**
 * The walk's request and progress: "wants order 0 (4 KiB) from node 0: zone 2 of 4, low watermark".
 */
export function routeWords(
  { order, node, stops, mark, zap_in_ns }: Route,
  page_size: number,
): string {
  const allowed = stops.filter(({ state }) => state !== "not_allowed");
  const at = allowed.findIndex(({ state }) => state === "now" || state === "took");
  const tried = allowed.filter(({ state }) => state === "passed").length;
  const where =
    at < 0
      ? tried === 0
        ? ROUTE_LINE.toTry(allowed.length)
        : ROUTE_LINE.tried(tried)
      : ROUTE_LINE.zoneOf(at + 1, allowed.length, gaveWords(allowed[at], node));
  const against = mark === "none" || mark === "" ? "" : `, ${mark} watermark`;
  const isAnyFull = stops.some(({ full }) => full);
  const cache = zap_in_ns === null || !isAnyFull ? "" : ROUTE_LINE.theirFullFlagsLast(zap_in_ns);
  return `wants ${orderWords(order, page_size)} from node ${node}: ${where}${against}${cache}`;
}
