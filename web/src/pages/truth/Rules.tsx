// The static rules: watermarks, protection and list sizes, compared with the output of real
// kernels.

import { counted } from "../../engine/format";
import type { MachineRow, MarksRow } from "../../engine/load-truth";
import { ofWords } from "./words";

/** Watermarks after every change at run time. */
export function Marks({ marks }: { marks: readonly MarksRow[] }) {
  const sum = (of: (row: MarksRow) => number) => marks.reduce((all, row) => all + of(row), 0);
  const zones = sum((row) => row.zones);
  const lists = sum((row) => row.lists);
  const off = sum((row) => row.differ.length);
  return (
    <section aria-labelledby="marks">
      <h2 id="marks">Watermarks and list sizes compared with real kernels</h2>
      <p className="stand">
        In {sum((row) => row.cases)} cases a tunable of a running kernel was changed and its{" "}
        <code>/proc/zoneinfo</code> read. <b>{ofWords(zones + lists - off, zones + lists)}</b> zones
        (min, low, high, protection) and per-cpu lists (sizes) are the same to the page.
      </p>
      <div className="scroll">
        <table className="counters">
          <thead>
            <tr>
              <th scope="col">kernel</th>
              <th scope="col">cases</th>
              <th scope="col">zones</th>
              <th scope="col">per-cpu lists</th>
              <th scope="col">different</th>
            </tr>
          </thead>
          <tbody>
            {marks.map(({ kernel, cases, zones, lists, differ }) => (
              <tr key={kernel} data-off={differ.length > 0 || undefined}>
                <th scope="row">{kernel.replace(/ (?=KiB$)/, "\u00a0")}</th>
                <td>{cases}</td>
                <td>{zones}</td>
                <td>{lists}</td>
                <td>{differ.length === 0 ? "none" : differ.join("; ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Machines at boot: the differences, and their causes. */
export function Machines({ machines }: { machines: readonly MachineRow[] }) {
  return (
    <section aria-labelledby="machines">
      <h2 id="machines">Machines at boot</h2>
      <p className="stand">
        mmscope reads a pasted <code>/proc/zoneinfo</code> and computes its watermarks itself. A
        kernel computes them once at boot from page counts that it no longer prints, so a few pages
        of difference are expected. Each difference has its reason.
      </p>
      <ul className="left-out">
        {machines.map(({ name, kernel, zones, differ }) => (
          <li key={name}>
            <b>{name}</b>, read as {kernel}: {ofWords(zones - differ.length, zones)}{" "}
            {zones === 1 ? "zone" : "zones"} the same
            {differ.length > 0 && <>; {reasons(differ)}</>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function reasons(differ: MachineRow["differ"]): string {
  const all = differ.flatMap(({ why }) => why);
  const most = Math.max(...all.map(({ dump, computed }) => Math.abs(dump - computed)));
  const unique = [...new Set(all.map(({ reason }) => reason))];
  return `at most ${counted(most, "page")}: ${unique.join("; ")}`;
}
