// The form of the axes: the setting that each axis changes, and its values.

import { useId } from "react";
import type { Catalog } from "../../engine/types";
import type { AxisKind, AxisRow } from "./axes";
import * as words from "./words";

/** The rows of a form. */
export function Axes({
  rows,
  change,
  catalog,
  kernel,
}: {
  rows: readonly AxisRow[];
  change: (rows: readonly AxisRow[]) => void;
  catalog: Catalog;
  /** The kernel whose tunables are offered. */
  kernel: string;
}) {
  const lists = useId();
  const tunables = catalog.tunables.find(([id]) => id === kernel)?.[1] ?? [];
  const set = (i: number, row: Partial<AxisRow>) =>
    change(rows.map((old, place) => (place === i ? { ...old, ...row } : old)));
  return (
    <fieldset className="sweep-axes">
      <legend>{words.AXES}</legend>
      <p className="sweep-help">{words.AXES_HELP}</p>
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity of their own
        <Axis key={i} n={i + 1} row={row} lists={lists} set={(part) => set(i, part)}>
          <button
            type="button"
            className="btn line"
            aria-label={words.removeAxis(i + 1)}
            onClick={() => change(rows.filter((_, place) => place !== i))}
          >
            {words.REMOVE}
          </button>
        </Axis>
      ))}
      <button type="button" className="btn line" onClick={() => change([...rows, freeRow(rows)])}>
        {words.ADD_AXIS}
      </button>
      <datalist id={`${lists}tunable`}>
        {tunables.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Choices id={`${lists}kernel`} ids={catalog.kernels} />
      <Choices id={`${lists}machine`} ids={catalog.machines} />
    </fieldset>
  );
}

const Choices = ({ id, ids }: { id: string; ids: Catalog["kernels"] }) => (
  <datalist id={id}>
    {ids.map((each) => (
      <option key={each.id} value={each.id}>
        {each.title}
      </option>
    ))}
  </datalist>
);

/** A new row that changes a different setting from the others. */
function freeRow(rows: readonly AxisRow[]): AxisRow {
  const isTaken = (kind: AxisKind) => rows.some((row) => row.kind === kind);
  if (!isTaken("kernel")) return { kind: "kernel", name: "", text: words.HINTS.kernel };
  if (!isTaken("seed")) return { kind: "seed", name: "", text: words.HINTS.seed };
  return { kind: "tunable", name: "", text: "" };
}

function Axis({
  n,
  row,
  lists,
  set,
  children,
}: {
  n: number;
  row: AxisRow;
  lists: string;
  set: (row: Partial<AxisRow>) => void;
  children: React.ReactNode;
}) {
  const { kind, name, text } = row;
  return (
    <fieldset className="sweep-axis" aria-label={words.axisName(n)}>
      <label>
        <span className="sr">{words.WHAT}</span>
        <select
          value={kind}
          onChange={({ target }) => set({ kind: target.value as AxisKind, name: "", text: "" })}
        >
          {Object.entries(words.KINDS).map(([id, title]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {(kind === "tunable" || kind === "path") && (
        <label className="axis-name">
          <span className="sr">{words.NAME}</span>
          <input
            type="text"
            value={name}
            spellCheck={false}
            list={kind === "tunable" ? `${lists}tunable` : undefined}
            placeholder={words.NAME_HINTS[kind]}
            onChange={({ target }) => set({ name: target.value.trim() })}
          />
        </label>
      )}
      <label className="axis-values">
        <span className="sr">{words.VALUES}</span>
        <input
          type="text"
          value={text}
          spellCheck={false}
          placeholder={words.HINTS[kind]}
          list={kind === "kernel" || kind === "machine" ? `${lists}${kind}` : undefined}
          onChange={({ target }) => set({ text: target.value })}
        />
      </label>
      {children}
    </fieldset>
  );
}
