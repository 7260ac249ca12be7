import { useState } from "react";
import "../../experiment/forms/forms.css";
import { EXPERIMENT } from "../../engine/schema";
import { PatchFields } from "../../experiment/forms/PatchFields";
import { useParts } from "../../experiment/forms/parts";
import { writeFragment } from "../../link/router";
import { actsWhen } from "../../ui/acts";
import { Icon } from "../../ui/icons";
import { COLUMNS } from "./column-words";
import { LEAST_COLUMNS, MOST_COLUMNS, moved, TWO_LRUS, writeColumn } from "./columns";

/** Chooses the columns of a report and their order. The address keeps the choice. */
export function Columns({
  table,
  columns,
  unknown,
  own,
}: {
  table: string;
  columns: readonly string[];
  /** Columns of the address that cannot be shown. */
  unknown: readonly string[];
  /** The columns of the published table. */
  own: readonly string[];
}) {
  const change = (next: readonly string[] | null) => {
    location.hash = writeFragment({ page: "report", table, columns: next });
  };
  const isOwn = columns.join() === own.join();
  return (
    <details className="columns" open={!isOwn || unknown.length > 0 || undefined}>
      <summary>{COLUMNS.title(columns.length)}</summary>
      <p>{COLUMNS.about}</p>
      {unknown.length > 0 && <p role="alert">{COLUMNS.unknown(unknown)}</p>}
      <ol>
        {columns.map((column, place) => (
          <li key={column}>
            <span className="column-name">
              {column}
              {place === 0 && <small>{COLUMNS.baseline}</small>}
              {!own.includes(column) && <small>{COLUMNS.notPublished}</small>}
            </span>
            <button
              type="button"
              className="btn icon"
              aria-label={COLUMNS.up(column)}
              {...actsWhen(place > 0, () => change(moved(columns, place, -1)))}
            >
              ↑
            </button>
            <button
              type="button"
              className="btn icon"
              aria-label={COLUMNS.down(column)}
              {...actsWhen(place + 1 < columns.length, () => change(moved(columns, place, 1)))}
            >
              ↓
            </button>
            <button
              type="button"
              className="btn icon"
              aria-label={COLUMNS.remove(column)}
              {...actsWhen(columns.length > LEAST_COLUMNS, () =>
                change(columns.filter((other) => other !== column)),
              )}
            >
              <Icon name="cross" />
            </button>
          </li>
        ))}
      </ol>
      {columns.length < MOST_COLUMNS ? (
        <NewColumn columns={columns} add={(column) => change([...columns, column])} />
      ) : (
        <p>{COLUMNS.full(MOST_COLUMNS)}</p>
      )}
      <div className="ready-columns">
        <p id="two-lrus-about">{COLUMNS.aboutTwoLrus}</p>
        {columns.join() !== TWO_LRUS.join() && (
          <button
            type="button"
            className="btn line"
            aria-describedby="two-lrus-about"
            onClick={() => change(TWO_LRUS)}
          >
            {COLUMNS.twoLrus}
          </button>
        )}
        {!isOwn && (
          <button type="button" className="btn line" onClick={() => change(null)}>
            {COLUMNS.reset}
          </button>
        )}
      </div>
    </details>
  );
}

/** A kernel with any set of patches. */
function NewColumn({
  columns,
  add,
}: {
  columns: readonly string[];
  add: (column: string) => void;
}) {
  const kernels = (EXPERIMENT.properties?.kernel?.enum ?? []).map(String);
  const [kernel, setKernel] = useState(columns[0]?.split("+")[0] ?? kernels[0] ?? "");
  const [patches, setPatches] = useState<readonly string[]>([]);
  const { parts, failure } = useParts();
  const column = writeColumn({ kernel, patches });
  const isNew = !columns.includes(column);
  return (
    <fieldset className="new-column">
      <legend>{COLUMNS.add}</legend>
      <label className="stacked">
        {COLUMNS.kernel}
        <select
          className="field"
          value={kernel}
          onChange={({ target }) => {
            setKernel(target.value);
            setPatches([]);
          }}
        >
          {kernels.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      {failure && <p role="alert">{failure}</p>}
      {parts && (
        <PatchFields
          key={kernel}
          patches={parts.patches.filter(
            ({ id, kernels: taking }) => taking.includes(kernel) || patches.includes(id),
          )}
          kernel={kernel}
          chosen={patches}
          faults={[]}
          change={setPatches}
        />
      )}
      <button type="button" className="btn line" {...actsWhen(isNew, () => add(column))}>
        {COLUMNS.addThis(column)}
      </button>
      {!isNew && <p>{COLUMNS.isThere}</p>}
    </fieldset>
  );
}
