import { lazy, Suspense, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { count, size } from "../engine/format";
import type { Info, View, ZoneView } from "../engine/types";
import { afterFirstFigure } from "../ui/first-figure";
import { usePhone } from "../ui/fit";
import { RichText } from "../ui/rich-text";
import { Roll } from "../ui/roll";
import { type FaceGroup, FaceTabs } from "./FaceTabs";
import { FREE_LISTS } from "./words";

const FreeHistory = lazy(async () => {
  const { FreeHistory: F } = await afterFirstFigure(() => import("./FreeHistory"));
  return { default: F };
});

/** Shorter words for the kernel's names of pageblock types. */
const rowWords = (type: string) => type.toLowerCase();

/**
 * A node's free lists, as in pagetypeinfo: one column for each order, one row for each migrate
 * type. Or the number of blocks of each order over time.
 */
export function FreeLists({
  info,
  node,
  view,
  before,
  place,
  width_px,
  isBeside,
  isInText,
}: {
  info: Info;
  node: number;
  view: View;
  before: View | null;
  /** The faces that share its place; null if there are none. */
  place: FaceGroup | null;
  /** The available width. */
  width_px: number;
  /** Whether they are next to the zones' fill levels. */
  isBeside: boolean;
  /** Whether they are next to a text and show only this moment. */
  isInText: boolean;
}) {
  const workbench = useWorkbench();
  const [isOverTime, showOverTime] = useState(false);
  const chosen = useWorkbenchState((state) => state.lists[String(node)]);
  const zones = view.zones.filter((zone) => zone.node === node);
  const zone =
    zones.find(({ key }) => key === chosen) ?? zones.find(isOnRoute(view)) ?? zones.at(-1);
  if (!zone) return null;
  const earlier = before?.zones.find(({ key }) => key === zone.key);
  return (
    <div className="lists">
      <div className="hd">
        {place ? <FaceTabs of={place} /> : <span className="label">{FREE_LISTS.freeLists}</span>}
        <span className="tabs">
          {zones.map(({ key, name }) => (
            <button
              key={key}
              type="button"
              aria-pressed={key === zone.key}
              onClick={() => workbench.showLists(node, key)}
            >
              {name}
            </button>
          ))}
        </span>
        {!isInText && (
          <span className="tabs over-time">
            <button
              type="button"
              aria-pressed={isOverTime}
              onClick={() => showOverTime(!isOverTime)}
            >
              {FREE_LISTS.overTime}
            </button>
          </span>
        )}
        <span className="cap">
          <RichText
            text={FREE_LISTS.free(zone.free)}
            parts={{
              free: (
                <b>
                  <Roll value={zone.free}>{count(zone.free)}</Roll>
                </b>
              ),
            }}
          />
          {zone.pcp > 0 && (
            <RichText
              text={FREE_LISTS.moreOnPerCpuLists}
              parts={{ pcp: <b>{count(zone.pcp)}</b> }}
            />
          )}
        </span>
      </div>
      {isOverTime ? (
        <Suspense fallback={<div className="freelists" />}>
          <FreeHistory
            key={zone.key}
            {...{ info, zone, width_px, isBeside }}
            place={view.zones.indexOf(zone)}
            now_ns={view.position.time_ns}
          />
        </Suspense>
      ) : (
        <ListTable {...{ info, zone, earlier, isInText }} />
      )}
    </div>
  );
}

/** Unless the user has chosen a zone, the lists of the zone being checked are shown. */
const isOnRoute = (view: View) => {
  const now = view.route?.stops.find(({ state }) => state === "now" || state === "took");
  return ({ key }: ZoneView) => key === now?.zone;
};

interface TableProps {
  readonly info: Info;
  readonly zone: ZoneView;
  readonly earlier: ZoneView | undefined;
}

/** On a phone each order is a row; above a text eleven rows would not fit. */
function ListTable({ isInText, ...props }: TableProps & { isInText: boolean }) {
  return usePhone() && !isInText ? <TallTable {...props} /> : <WideTable {...props} />;
}

function TallTable({ info, zone, earlier }: TableProps) {
  const types = visibleTypes(info, zone);
  return (
    <table className="freelists tall">
      <caption className="sr">{FREE_LISTS.freeBlocks(zone.name, zone.node)}</caption>
      <thead>
        <tr>
          <th scope="col">{FREE_LISTS.order}</th>
          {types.map((type) => (
            <th key={type} scope="col">
              {rowWords(info.migratetypes[type] ?? "")}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ordersOf(info).map((order) => (
          <tr key={order}>
            <th scope="row">
              {order} <span className="dim">{size(2 ** order, info.page_size)}</span>
            </th>
            {types.map((type) => (
              <Cell key={type} zone={zone} earlier={earlier} order={order} type={type} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const ordersOf = ({ orders }: Info) => Array.from({ length: orders }, (_, order) => order);

function WideTable({ info, zone, earlier }: TableProps) {
  const orders = ordersOf(info);
  const types = visibleTypes(info, zone);
  return (
    <table className="freelists">
      <caption className="sr">{FREE_LISTS.freeBlocks(zone.name, zone.node)}</caption>
      <thead>
        <tr>
          <th scope="col">{FREE_LISTS.order}</th>
          {orders.map((order) => (
            <th key={order} scope="col" title={size(2 ** order, info.page_size)}>
              {order}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {types.map((type) => (
          <tr key={type}>
            <th scope="row">{rowWords(info.migratetypes[type] ?? "")}</th>
            {orders.map((order) => (
              <Cell key={order} zone={zone} earlier={earlier} order={order} type={type} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The three common types always have a row, rare ones only when they have blocks. */
function visibleTypes({ migratetypes }: Info, { free_lists }: ZoneView): number[] {
  return migratetypes
    .map((_, type) => type)
    .filter((type) => type < 3 || free_lists.some((counts) => (counts[type] ?? 0) > 0));
}

function Cell({
  zone,
  earlier,
  order,
  type,
}: Omit<TableProps, "info"> & { order: number; type: number }) {
  const blocks = zone.free_lists[order]?.[type] ?? 0;
  const was = earlier?.free_lists[order]?.[type] ?? blocks;
  const share = zone.free > 0 ? (blocks * 2 ** order) / zone.free : 0;
  const classes = `${blocks === 0 ? "zero" : ""}${was === blocks ? "" : " changed"}`;
  return (
    <td className={classes} title={blocks > 0 ? FREE_LISTS.ofFreePages(share) : undefined}>
      <Roll value={blocks}>{blocks === 0 ? "·" : count(blocks)}</Roll>
      {was !== blocks && <span className="sr">{FREE_LISTS.was(was)}</span>}
      <i style={{ inlineSize: `${Math.min(1, share) * 100}%` }} hidden={blocks === 0} />
    </td>
  );
}
