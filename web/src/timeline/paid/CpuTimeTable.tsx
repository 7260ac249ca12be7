import { duration, percent } from "../../engine/format";
import type { CpuTimeRow, Paid } from "../../engine/paid";
import { cpuTimesOf } from "./measures";
import { CPU_TIME, WORK } from "./words";

/** How much CPU time each task used in the range, kswapd included. */
export function CpuTimeTable({ paid }: { paid: Paid }) {
  const { shown, others } = cpuTimesOf(paid);
  if (shown.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table
    <section className="paid-scroll" aria-label={CPU_TIME.caption} tabIndex={0}>
      <table className="paid-table">
        <caption>
          {CPU_TIME.caption} <small>{CPU_TIME.help}</small>
        </caption>
        <thead>
          <tr>
            <th scope="col">{CPU_TIME.task}</th>
            {[CPU_TIME.user, CPU_TIME.kernel, CPU_TIME.share].map((heading) => (
              <th key={heading} scope="col" className="num">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Row key={row.task} name={row.task} row={row} length_ns={paid.length_ns} />
          ))}
          {others && (
            <Row name={WORK.others(others.count)} row={others} length_ns={paid.length_ns} />
          )}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  name: string;
  row: Omit<CpuTimeRow, "task">;
  length_ns: number;
}

function Row({ name, row: { user_ns, kernel_ns }, length_ns }: RowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="num">{duration(user_ns)}</td>
      <td className="num">{duration(kernel_ns)}</td>
      <td className="num">{percent((user_ns + kernel_ns) / Math.max(1, length_ns))}</td>
    </tr>
  );
}
