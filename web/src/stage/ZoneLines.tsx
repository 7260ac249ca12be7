// A line for each zone: on a small screen next to a text, the tanks of several nodes do not fit.

import { STATES } from "../draw/states";
import { count } from "../engine/format";
import type { Stop, View, ZoneView } from "../engine/types";
import "./zone-lines.css";
import { RichText } from "../ui/rich-text";
import { ZONE_LINES } from "./words";

/** Length of a bar. */
const BAR_PX = 84;
const BAR_HEIGHT_PX = 10;

/** All zones by node, each node's highest zone first, as in a zonelist. */
export function ZoneLines({ view }: { view: View }) {
  const stops = view.route?.stops ?? [];
  const zones = view.zones.toReversed().sort((a, b) => a.node - b.node);
  return (
    <ul className="zone-lines" aria-label={ZONE_LINES.zones}>
      {zones.map((zone) => (
        <Line key={zone.key} zone={zone} stop={stops.find((stop) => stop.zone === zone.key)} />
      ))}
    </ul>
  );
}

function Line({ zone, stop }: { zone: ZoneView; stop: Stop | undefined }) {
  const isNow = stop?.state === "now" || stop?.state === "took";
  const kept_back = stop?.kept_back ?? 0;
  return (
    <li data-now={isNow || undefined}>
      <span>
        <RichText text={ZONE_LINES.node(zone.node)} parts={{ name: <b>{zone.name}</b> }} />
      </span>
      <Bar zone={zone} />
      <span>
        <RichText
          text={ZONE_LINES.freeLow(zone.low, kept_back)}
          parts={{ free: <b>{count(zone.free)}</b> }}
        />
      </span>
    </li>
  );
}

/** The use of a zone's pages, with free pages at the end. */
function Bar({ zone }: { zone: ZoneView }) {
  const { name, node, free, present, states } = zone;
  const words = ZONE_LINES.zoneOnNodeOfFree(name, node, free, present);
  const used = STATES.map(({ token }, state) => ({ token, pages: states[state] ?? 0 }))
    .filter(({ token, pages }) => token !== "free" && pages > 0)
    .map((part, i, all) => ({
      ...part,
      from: all.slice(0, i).reduce((sum, { pages }) => sum + pages, 0),
    }));
  const px = (pages: number) => (BAR_PX * pages) / Math.max(1, present);
  return (
    <svg width={BAR_PX} height={BAR_HEIGHT_PX} role="img" aria-label={words}>
      <rect width={BAR_PX} height={BAR_HEIGHT_PX} fill="var(--free)" />
      {used.map(({ token, pages, from }) => (
        <rect
          key={token}
          x={px(from)}
          width={px(pages)}
          height={BAR_HEIGHT_PX}
          fill={`var(--${token})`}
        />
      ))}
    </svg>
  );
}
