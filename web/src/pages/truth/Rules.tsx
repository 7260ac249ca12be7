// The static rules: watermarks, protection and list sizes, compared with the output of real
// kernels.

import type { MachineRow, MarksRow } from "../../engine/load-truth";
import { RichText } from "../../ui/rich-text";
import { ofWords, RULES } from "./words";

/** Watermarks after every change at run time. */
export function Marks({ marks }: { marks: readonly MarksRow[] }) {
  const sum = (of: (row: MarksRow) => number) => marks.reduce((all, row) => all + of(row), 0);
  const zones = sum((row) => row.zones);
  const lists = sum((row) => row.lists);
  const off = sum((row) => row.differ.length);
  return (
    <section aria-labelledby="marks">
      <h2 id="marks">{RULES.watermarksAndListSizes}</h2>
      <p className="stand">
        <RichText
          text={RULES.tunables(sum((row) => row.cases))}
          parts={{
            code: (text) => <code>{text}</code>,
            of: <b>{ofWords(zones + lists - off, zones + lists)}</b>,
          }}
        />
      </p>
      <div className="scroll">
        <table className="counters">
          <thead>
            <tr>
              <th scope="col">{RULES.kernel}</th>
              <th scope="col">{RULES.cases}</th>
              <th scope="col">{RULES.zones}</th>
              <th scope="col">{RULES.perCpuLists}</th>
              <th scope="col">{RULES.different}</th>
            </tr>
          </thead>
          <tbody>
            {marks.map(({ kernel, cases, zones, lists, differ }) => (
              <tr key={kernel} data-off={differ.length > 0 || undefined}>
                <th scope="row">{kernel.replace(/ (?=KiB$)/, "\u00a0")}</th>
                <td>{cases}</td>
                <td>{zones}</td>
                <td>{lists}</td>
                <td>{differ.length === 0 ? RULES.none : differ.join("; ")}</td>
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
      <h2 id="machines">{RULES.machinesAtBoot}</h2>
      <p className="stand">
        <RichText text={RULES.machinesHelp} parts={{ code: (text) => <code>{text}</code> }} />
      </p>
      <ul className="left-out">
        {machines.map(({ name, kernel, zones, differ }) => (
          <li key={name}>
            <RichText
              text={RULES.readAsSame(kernel, ofWords(zones - differ.length, zones), zones)}
              parts={{ name: <b>{name}</b> }}
            />
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
  return RULES.atMost(most, unique.join("; "));
}
