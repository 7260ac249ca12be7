import { count, duration } from "../../engine/format";
import { NOT_ATTRIBUTED, type Paid } from "../../engine/paid";
import { type Check, checksOf, rowsOf } from "./measures";
import { COLUMN_WORDS, PAID, WORK } from "./words";

const amountOf = (counter: Check["counter"], amount: number): string => {
  if (counter === "stall_direct_ns") return amount === 0 ? "0" : duration(amount);
  if (counter === "waited_us") return amount === 0 ? "0" : duration(amount * 1000);
  return count(amount);
};

/** What each task did. The last rows compare the sums with the counters. */
export function WorkTable({ paid }: { paid: Paid }) {
  const checks = checksOf(paid);
  const { shown, others } = rowsOf(paid.rows);
  const wrong = checks.filter(({ sum, increase }) => sum !== increase);
  return (
    <>
      <p className="paid-check">
        {wrong.length === 0
          ? `✓ ${WORK.checked(checks.length)}`
          : `✗ ${WORK.unchecked(wrong.map(({ counter }) => counter).join(", "))}`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table */}
      <section className="paid-scroll" aria-label={WORK.caption} tabIndex={0}>
        <table className="paid-table">
          <caption>{WORK.caption}</caption>
          <thead>
            <tr>
              <th scope="col">{WORK.task}</th>
              <th scope="col">{WORK.behalf}</th>
              {checks.map(({ counter }) => (
                <th key={counter} scope="col" className="num">
                  {COLUMN_WORDS[counter]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={`${row.task} ${row.on_behalf_of}`}>
                <th scope="row">{row.task}</th>
                <td>{behalfWords(row)}</td>
                {checks.map(({ counter }) => (
                  <td key={counter} className={row[counter] === 0 ? "num paid-zero" : "num"}>
                    {amountOf(counter, row[counter])}
                  </td>
                ))}
              </tr>
            ))}
            {others && (
              <tr>
                <th scope="row" colSpan={2}>
                  {WORK.others(others.count)}
                </th>
                {checks.map(({ counter }) => (
                  <td key={counter} className="num">
                    {amountOf(counter, others.sums[counter])}
                  </td>
                ))}
              </tr>
            )}
          </tbody>
          <Foot checks={checks} />
        </table>
      </section>
    </>
  );
}

function behalfWords({ task, on_behalf_of }: Paid["rows"][number]): string {
  if (on_behalf_of === NOT_ATTRIBUTED) return PAID.unknown;
  return on_behalf_of === task ? WORK.itself : on_behalf_of;
}

function Foot({ checks }: { checks: readonly Check[] }) {
  return (
    <tfoot>
      <tr>
        <th scope="row" colSpan={2}>
          {WORK.sum}
        </th>
        {checks.map(({ counter, sum }) => (
          <td key={counter} className="num">
            {amountOf(counter, sum)}
          </td>
        ))}
      </tr>
      <tr>
        <th scope="row" colSpan={2}>
          {WORK.increase}
        </th>
        {checks.map(({ counter, sum, increase }) => (
          <td key={counter} className="num">
            <span aria-hidden="true">{sum === increase ? "✓ " : "✗ "}</span>
            {amountOf(counter, increase)}
            <small>
              <code>{counter}</code>
            </small>
            <span className="sr">{sum === increase ? WORK.agrees : WORK.differs}</span>
          </td>
        ))}
      </tr>
    </tfoot>
  );
}
