import { useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { litSelected } from "../app/selection";
import { type Key, knownOf } from "../app/store";
import { aboutCounter, MARKS, PAGE_PARTS, type Watch } from "../app/watch";
import { count, hex } from "../engine/format";
import type { View } from "../engine/types";
import { actsWhen } from "../ui/acts";
import { Icon } from "../ui/icons";
import { VALUES_PANEL } from "./words";

/** Values of the selected items and all counters, each with a link to its last change. */
export function ValuesPanel({ view, earlier }: { view: View; earlier: View | null }) {
  const selected = useWorkbenchState(litSelected);
  const [query, setQuery] = useState("");
  const rows = selected.flatMap((key) => rowsOf(key, view, earlier));
  const counters = view.counters
    .filter(([name]) => name.includes(query.trim().toLowerCase()))
    .map(([name, value]) => counterRow(name, value, earlier));
  return (
    <section aria-label={VALUES_PANEL.values}>
      {rows.length > 0 ? (
        <Values label={VALUES_PANEL.selected} rows={rows} />
      ) : (
        <p className="else">{VALUES_PANEL.noneSelected}</p>
      )}
      <div className="hd">
        <h2 className="label">{VALUES_PANEL.procVmstat}</h2>
        <input
          className="field"
          type="search"
          aria-label={VALUES_PANEL.findCounter}
          placeholder={VALUES_PANEL.find}
          size={10}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
      </div>
      {counters.length > 0 ? (
        <Values label={VALUES_PANEL.counters} rows={counters} />
      ) : (
        <p className="else">{VALUES_PANEL.noneFound}</p>
      )}
    </section>
  );
}

interface WatchedValue {
  readonly name: string;
  readonly value: string;
  /** The change that the last step made. */
  readonly change: number;
  readonly watch: Watch;
}

function Values({ label, rows }: { label: string; rows: readonly WatchedValue[] }) {
  return (
    <table className="values" aria-label={label}>
      <tbody>
        {rows.map((row) => (
          <ValueRow key={`${row.name} ${JSON.stringify(row.watch)}`} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function ValueRow({ row: { name, value, change, watch } }: { row: WatchedValue }) {
  const workbench = useWorkbench();
  const isPaused = useWorkbenchState(
    ({ session, longRun }) => !longRun && session?.frame?.mode.kind === "paused",
  );
  const about = useWorkbenchState((state) => {
    const known = watch.kind === "counter" ? knownOf(state) : null;
    return known && watch.kind === "counter" ? aboutCounter(watch.name, known) : "";
  });
  return (
    <tr>
      <th scope="row">
        {name}
        {about && <small>{about}</small>}
      </th>
      <td>
        {value}
        {change !== 0 && (
          <small>
            {change > 0 ? "+" : ""}
            {count(change)}
          </small>
        )}
      </td>
      <td>
        <button
          type="button"
          className="btn icon"
          {...actsWhen(isPaused, () => workbench.stops.lastChange(watch))}
          title={VALUES_PANEL.lastChangeHelp}
          aria-label={VALUES_PANEL.lastChange(name)}
        >
          <Icon name="back-call" />
        </button>
      </td>
    </tr>
  );
}

function counterRow(name: string, value: number, earlier: View | null): WatchedValue {
  const was = earlier?.counters.find(([other]) => other === name)?.[1] ?? (earlier ? 0 : value);
  return { name, value: count(value), change: value - was, watch: { kind: "counter", name } };
}

function rowsOf(key: Key, view: View, earlier: View | null): WatchedValue[] {
  const cut = key.indexOf(" ");
  const [kind, id] = [key.slice(0, cut), key.slice(cut + 1)];
  if (kind === "zone") return zoneRows(id, view, earlier);
  if (kind === "task") {
    const task = view.tasks.find((one) => one.id === Number(id));
    if (!task) return [];
    const watch = { kind: "task", task: task.id } as const;
    return [{ name: task.name, value: task.state, change: 0, watch }];
  }
  if (kind !== "page") return [];
  const pfn = Number(id);
  return PAGE_PARTS.map((part) => ({
    name: `${hex(pfn)}: ${part === "any" ? "anything" : part}`,
    value: "",
    change: 0,
    watch: { kind: "page", pfn, part },
  }));
}

function zoneRows(key: string, view: View, earlier: View | null): WatchedValue[] {
  const zone = view.zones.find((one) => one.key === key);
  if (!zone) return [];
  const was = earlier?.zones.find((one) => one.key === key)?.free ?? zone.free;
  const free: WatchedValue = {
    name: VALUES_PANEL.free(key),
    value: count(zone.free),
    change: zone.free - was,
    watch: { kind: "free", zone: key },
  };
  const marks = MARKS.map((mark): WatchedValue => {
    const side = zone.free < zone[mark] ? "below" : "above";
    return {
      name: VALUES_PANEL.watermark(mark),
      value: `${side} ${count(zone[mark])}`,
      change: 0,
      watch: { kind: "mark", zone: key, mark },
    };
  });
  return [free, ...marks];
}
