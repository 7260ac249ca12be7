import { count } from "../../engine/format";
import { NOT_ATTRIBUTED, type Paid } from "../../engine/paid";
import { takenOf } from "./measures";
import { PAID, TAKEN, WORK } from "./words";

const nameOf = (name: string) => (name === NOT_ATTRIBUTED ? PAID.unknown : name);

/** Whose pages were reclaimed. The last rows compare the sum with the counters. */
export function TakenTable({ paid }: { paid: Paid }) {
  const { shown, others } = takenOf(paid);
  const sum = paid.taken.reduce((all, { pages }) => all + pages, 0);
  const increase = paid.total.pgsteal_kswapd + paid.total.pgsteal_direct;
  if (sum === 0 && increase === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table
    <section className="paid-scroll" aria-label={TAKEN.caption} tabIndex={0}>
      <table className="paid-table">
        <caption>{TAKEN.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{TAKEN.from}</th>
            <th scope="col">{TAKEN.by}</th>
            <th scope="col">{TAKEN.behalf}</th>
            <th scope="col" className="num">
              {TAKEN.pages}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ task, on_behalf_of, from, pages }) => (
            <tr key={`${task} ${on_behalf_of} ${from}`}>
              <th scope="row">{nameOf(from)}</th>
              <td>{task}</td>
              <td>{on_behalf_of === task ? WORK.itself : nameOf(on_behalf_of)}</td>
              <td className="num">{count(pages)}</td>
            </tr>
          ))}
          {others && (
            <tr>
              <th scope="row" colSpan={3}>
                {WORK.others(others.count)}
              </th>
              <td className="num">{count(others.pages)}</td>
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              {TAKEN.sum}
            </th>
            <td className="num">{count(sum)}</td>
          </tr>
          <tr>
            <th scope="row" colSpan={3}>
              <code>{TAKEN.increase}</code>
            </th>
            <td className="num">
              <span aria-hidden="true">{sum === increase ? "✓ " : "✗ "}</span>
              {count(increase)}
              <span className="sr">{sum === increase ? WORK.agrees : WORK.differs}</span>
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
