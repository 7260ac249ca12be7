import { useWorkbenchState } from "../app/context";
import { STATES } from "../draw/states";
import { type TankLayout, type TankMark, tankLayout } from "../draw/tank";
import { count, duration, size } from "../engine/format";
import type { Stop, ZoneView } from "../engine/types";
import { lightClass, Name, useLight } from "../ui/lit";
import { RollText } from "../ui/roll";
import { Term } from "../ui/term";
import { ZONE_TANK } from "./words";

/** Height of a tank, and the start and end of its scale. */
export const HEIGHT_PX = 80;
export const TOP_PX = 14;
export const BOTTOM_PX = 78;
const BAR_PX = 9;
const LEFT_PX = 24;
/** Start of the enlarged part's name, right of the name of the whole zone. */
const LENS_NAME_PX = 32;
const WIDEST_TANK_PX = 62;
/** Width of the watermarks' labels with the lines that lead to them. */
const LABELS_PX = 75;
const LEAD_PX = 9;
/** Width of a digit of the number of free pages. */
const DIGIT_PX = 8;
/** The same in small type. */
const SMALL_DIGIT_PX = 5.5;

/** Props of a zone's column. */
export interface ZoneProps {
  readonly zone: ZoneView;
  /** Its stop on the present allocation's zonelist. */
  readonly stop: Stop | null;
  /** Number of that stop, from 1. */
  readonly number: number | null;
  /** The watermark of the allocation's check. */
  readonly mark: string;
  /** The first zone of the machine: Tab reaches the explanations of its watermarks. */
  readonly isFirst: boolean;
  readonly page_size: number;
  /** Width of the column. */
  readonly zone_px: number;
  readonly hasChanged: boolean;
}

/** One zone: heading with its stop, whole-zone bar, lens and tank. */
export function ZoneTank({ zone, stop, number, mark, isFirst, ...props }: ZoneProps) {
  const { page_size, zone_px, hasChanged } = props;
  const light = useLight(`zone ${zone.key}`);
  const state = stop?.state ?? "none";
  return (
    <div className={`zone stop-${state}${lightClass(light)}`} data-zone={zone.key}>
      <h3>
        {number !== null && (
          <span
            className="stop"
            role="img"
            aria-label={ZONE_TANK.zoneOfZonelist(number, stopWords(state))}
          >
            {number}
          </span>
        )}
        <Name
          k={`zone ${zone.key}`}
          className="zone-name"
          term={ZONE_TERMS[zone.name] ?? "zone"}
          label={ZONE_TANK.onNode(zone.name, zone.node)}
        >
          {zone.name}
        </Name>
        {stop?.full && (
          <span className="zlc-bit" title={ZONE_TANK.fullHelp}>
            {ZONE_TANK.full}
          </span>
        )}
        <small>{size(zone.present, page_size)}</small>
      </h3>
      <div className="tank-box">
        <Tank
          zone={zone}
          stop={stop}
          mark={stop ? mark : ""}
          width={zone_px}
          hasChanged={hasChanged}
        />
        <Term
          id="watermark"
          label={ZONE_TANK.watermarks}
          className="over-marks"
          tabIndex={isFirst ? undefined : -1}
        />
      </div>
    </div>
  );
}

/** Zones with their own glossary entry. */
const ZONE_TERMS: Readonly<Record<string, string>> = { DMA: "dma", DMA32: "dma32" };

const stopWords = (state: string) =>
  ({
    passed: "skipped",
    now: "being checked",
    took: ZONE_TANK.servesRequest,
    ahead: ZONE_TANK.notReachedYet,
    not_allowed: "not allowed",
  })[state] ?? ZONE_TANK.notOnZonelist;

function Tank({
  zone,
  stop,
  mark,
  width,
  hasChanged,
}: {
  zone: ZoneView;
  stop: Stop | null;
  mark: string;
  width: number;
  hasChanged: boolean;
}) {
  const kept_back = stop?.kept_back ?? 0;
  const tank_px = Math.max(0, Math.min(WIDEST_TANK_PX, width - LEFT_PX - LABELS_PX));
  const right = LEFT_PX + tank_px;
  const level = count(zone.free);
  const fits = level.length * DIGIT_PX <= tank_px ? "" : "sm";
  const size = level.length * SMALL_DIGIT_PX <= tank_px - 4 ? fits : "sm xs";
  const t = tankLayout({ ...zone, kept_back, mark }, TOP_PX, BOTTOM_PX);
  const middle = { x: LEFT_PX + tank_px / 2, textAnchor: "middle" } as const;
  const levelAt = { ...middle, y: t.bottom - 16 };
  const wordAt = { ...middle, y: t.bottom - 5 };
  const isNow = stop?.state === "now" || stop?.state === "took";
  const reserveWords = kept_back > 0 ? ZONE_TANK.reservedFromThisRequest(kept_back) : "";
  const name = ZONE_TANK.zoneOnNode(
    zone.name,
    zone.node,
    zone.free,
    zone.present,
    zone.min,
    zone.low,
    zone.high,
    reserveWords,
  );
  return (
    <svg className="tank" width={width} height={HEIGHT_PX} role="img" aria-label={name}>
      <title>{ZONE_TANK.leftWholeZoneRight(t.scale_pages)}</title>
      {t.bar.map(({ state, y, height }) => (
        <rect key={state} x="0" y={y} width={BAR_PX} height={height} fill={fillOf(state)} />
      ))}
      <text x="-1" y="9" className="mk dim">
        {ZONE_TANK.zone}
      </text>
      <text x={LENS_NAME_PX} y="9" className="mk dim">
        {ZONE_TANK.lowest(t.scale_pages)}
      </text>
      <path
        d={`M${BAR_PX} ${t.bottom - t.lens_height}L${LEFT_PX} ${t.top + 1}V${t.bottom}H${BAR_PX}z`}
        fill="var(--wash)"
      />
      {t.overflows ? (
        <path d={tornWater(t.top, t.bottom, tank_px)} fill="var(--free)" />
      ) : (
        <rect
          className="water"
          x={LEFT_PX}
          y={t.water_y}
          width={tank_px}
          height={Math.max(0, t.bottom - t.water_y)}
        />
      )}
      {kept_back > 0 && (
        <rect
          x={LEFT_PX}
          y={t.reserve_y}
          width={tank_px}
          height={t.bottom - t.reserve_y}
          fill="url(#keep)"
        />
      )}
      {t.marks.map((line) => (
        <Mark key={line.name} line={line} right={right} kept_back={kept_back} />
      ))}
      <Crossing zone={zone} tank={t} />
      {!t.overflows && (
        <rect className="surface" x={LEFT_PX} y={t.water_y - 1} width={tank_px} height="2" />
      )}
      <path
        d={`M${LEFT_PX - 0.5} ${t.top + 2}V${t.bottom + 0.5}H${right + 0.5}V${t.top + 2}`}
        fill="none"
        stroke={isNow ? "var(--ink-1)" : "var(--ink-3)"}
        strokeWidth={isNow ? 2 : 1}
      />
      {/* Drawn behind both texts, so that the halo of one does not cover the comma of the other. */}
      <g className="halo light">
        <text {...levelAt} className={`lvl-behind ${size}`}>
          {level}
        </text>
        <text {...wordAt} className="mk">
          {ZONE_TANK.free}
        </text>
      </g>
      <RollText value={zone.free} {...levelAt} className={`lvl ${size}`}>
        {level}
      </RollText>
      {hasChanged && <circle className="changed" cx={right - 6} cy={t.bottom - 20} r="2.5" />}
      <text {...wordAt} className="mk">
        {ZONE_TANK.free}
      </text>
    </svg>
  );
}

/** A watermark that was just crossed: a notch at the edge, and the time. */
function Crossing({ zone, tank }: { zone: ZoneView; tank: TankLayout }) {
  const now = useWorkbenchState(({ story }) => story.now);
  if (!now?.crossing || now.crossing.zone !== zone.key) return null;
  const y = tank.y(zone[now.crossing.mark]);
  return (
    <g className="crossing">
      <path d={`M${LEFT_PX - 8} ${y - 5}L${LEFT_PX + 1} ${y}L${LEFT_PX - 8} ${y + 5}z`} />
      <text x={LEFT_PX + 4} y={y - 4} className="mk now halo">
        {duration(now.time_ns)}
      </text>
    </g>
  );
}

const fillOf = (state: number) => `var(--${STATES[state]?.token ?? "reserved"})`;

/** More pages are free than the scale shows: the level is drawn as a torn edge. */
function tornWater(top: number, bottom: number, tank_px: number): string {
  const tooth = tank_px / 8;
  const teeth = `l${tooth} -4 l${tooth} 4 `.repeat(4);
  return `M${LEFT_PX} ${bottom} V${top + 8} ${teeth}V${bottom}z`;
}

function Mark({ line, right, kept_back }: { line: TankMark; right: number; kept_back: number }) {
  const label_x = right + LEAD_PX;
  const { name, pages, y, label_y, dash, is_compared } = line;
  return (
    <>
      <path
        d={`M${LEFT_PX} ${y}H${right + 2}L${label_x - 2} ${label_y}`}
        fill="none"
        stroke={is_compared ? "var(--ink-1)" : "var(--ink-2)"}
        strokeWidth={is_compared ? 1.5 : 1}
        strokeDasharray={dash || undefined}
      />
      <text x={label_x} y={label_y + 3.5} className={is_compared ? "mk now" : "mk"}>
        {name} {count(pages + kept_back)}
      </text>
      {kept_back > 0 && (
        <>
          <text x={label_x} y={label_y + 16.5} className="mk dim">
            {`${count(pages)}\u200a+\u200a${count(kept_back)}`}
          </text>
          <text x={label_x} y={label_y + 29.5} className="mk dim">
            {ZONE_TANK.reserve}
          </text>
        </>
      )}
    </>
  );
}
