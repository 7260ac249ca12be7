// The files of memory cgroups in a captured run and in its twin, row by row.

import { count } from "../../engine/format";
import type { CgroupRow, TwinRow } from "../../engine/load-truth";
import { CGROUPS, isCgroupRowFar, MANY, ofWords, TWINS } from "./words";

/** The rows of all cgroups of a workload; nothing if it has none. */
export function Cgroups({ cgroups }: { cgroups: NonNullable<TwinRow["cgroups"]> }) {
  const { rows, near, judged } = cgroups;
  if (rows.length === 0) return null;
  return (
    <div className="scroll">
      <table className="counters">
        <caption>{CGROUPS.caption(ofWords(near, judged))}</caption>
        <thead>
          <tr>
            <th scope="col">{CGROUPS.row}</th>
            <th scope="col">{TWINS.real}</th>
            <th scope="col">{TWINS.simulated}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={`${row.cgroup} ${row.name}`} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: CgroupRow }) {
  const { cgroup, name, kind, real, simulated } = row;
  const isOff = (kind === "event" || real > MANY) && isCgroupRowFar(row);
  return (
    <tr data-off={isOff || undefined}>
      <th scope="row">
        {cgroup} <code>{name}</code>
        {kind === "size" && ` (${CGROUPS.pages})`}
      </th>
      <td>{count(real)}</td>
      <td>
        {isOff && <span aria-hidden="true">× </span>}
        {simulated === null ? "" : count(simulated)}
        {isOff && <span className="sr"> {CGROUPS.differs}</span>}
      </td>
    </tr>
  );
}
