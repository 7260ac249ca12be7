// The pages in each generation of a captured run and of its twin.

import { useState } from "react";
import { count } from "../../engine/format";
import type { GenerationRow, TwinRow } from "../../engine/load-truth";
import { GENERATIONS, MANY, ratioWords, TWINS } from "./words";

/** Beyond this factor, in either direction, a count is far off. */
const FAR = 2;

/** The generations of both runs: a sentence, and a table that unfolds. */
export function TwinGenerations({
  workload,
  generations: { rows, near, large },
}: {
  workload: string;
  generations: NonNullable<TwinRow["generations"]>;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{GENERATIONS.title(workload)}</summary>
      {isOpen && (
        <>
          <p className="about">{GENERATIONS.outcome(near, large)}</p>
          <div className="scroll">
            <table className="counters">
              <thead>
                <tr>
                  <th scope="col">{GENERATIONS.generation}</th>
                  <th scope="col">{GENERATIONS.type}</th>
                  <th scope="col">{TWINS.real}</th>
                  <th scope="col">{TWINS.simulated}</th>
                  <th scope="col">{TWINS.ratio}</th>
                </tr>
              </thead>
              <tbody>
                {rows.flatMap((row) =>
                  GENERATIONS.types.map((type, index) => (
                    <Pages
                      key={`${row.node} ${row.from_youngest} ${type}`}
                      {...{ row, type, index }}
                    />
                  )),
                )}
              </tbody>
            </table>
          </div>
        </>
      )}
    </details>
  );
}

/** The pages of a type in a generation; nothing if neither run has any. */
function Pages({ row, type, index }: { row: GenerationRow; type: string; index: number }) {
  const [real, simulated] = [row.real[index] ?? 0, row.simulated[index] ?? 0];
  if (real === 0 && simulated === 0) return null;
  const ratio = real === 0 ? null : simulated / real;
  const isOff =
    Math.max(real, simulated) > MANY && (ratio === null || ratio > FAR || ratio < 1 / FAR);
  return (
    <tr data-off={isOff || undefined}>
      <th scope="row">{GENERATIONS.name(row.node, row.from_youngest)}</th>
      <td>{type}</td>
      <td>{count(real)}</td>
      <td>{count(simulated)}</td>
      <td>
        {isOff && <span aria-hidden="true">× </span>}
        {ratio !== null && ratioWords(ratio)}
        {isOff && <span className="sr"> {GENERATIONS.beyond}</span>}
      </td>
    </tr>
  );
}
