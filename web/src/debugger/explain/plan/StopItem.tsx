import { count, counted, zoneWords } from "../../../engine/format";
import { MARKS } from "../../../engine/sentence";
import { Name } from "../../../ui/lit";
import { Mark, StepLink } from "../bits";
import { branchesOf } from "../branches";
import { Decided, type PlanProps } from "./Decided";
import type { MarkTest, OrderTest, Stop, Walk } from "./plan";
import { ignoresMarks, loweredWords, takingOf, uncountedWords, VERDICTS } from "./plan-words";

/** A zone of a walk: its watermark check term by term, and the search for a free block. */
export function StopItem({ stop, walk, ...props }: PlanProps & { stop: Stop; walk: Walk }) {
  const zone = props.words.zones[stop.zone] ?? "";
  const isTaken = stop.verdict === "took";
  const then = VERDICTS[stop.verdict];
  return (
    <li className="stop-item" data-verdict={stop.verdict}>
      <h4>
        <Mark is={stop.verdict === "open" ? null : isTaken} />
        {stop.place > 0 && (
          <span className="stop" title={`Zone ${stop.place} of ${stop.of} on the zonelist`}>
            <span className="sr">Zone </span>
            {stop.place}
          </span>
        )}
        <Name k={`zone ${zone}`}>{zoneWords(zone)}</Name>
        <StepLink step={stop.step} />
      </h4>
      {stop.dirty && (
        <p>
          {counted(stop.dirty.pages, "page")} dirty or under writeback, more than its share of the
          dirty limit ({count(stop.dirty.limit)}).
        </p>
      )}
      {ignoresMarks(walk) && <p>ALLOC_NO_WATERMARKS: its watermarks are not checked.</p>}
      {stop.test && <MarkSum test={stop.test} {...props} />}
      {stop.home.length > 0 && <AtHome stop={stop} {...props} />}
      {stop.retest && <MarkSum test={stop.retest} {...props} />}
      {stop.orders.length > 0 && <OrderLoop orders={stop.orders} of={props.plan.asked.order} />}
      {stop.block && (
        <p>
          {stop.block.order === null
            ? `No free block of order ${props.plan.asked.order} or larger is on a list it may use.`
            : `A free block of order ${stop.block.order} is large enough.`}
        </p>
      )}
      {stop.take.length > 0 && <Taken stop={stop} {...props} />}
      {then && <p className="verdict-words">{then}</p>}
    </li>
  );
}

/** Decisions of zone_reclaim and the zonelist cache before the walk left the zone. */
function AtHome({ stop, words }: PlanProps & { stop: Stop }) {
  return (
    <ul className="taking" aria-label="zone_reclaim and the zonelist cache">
      {stop.home.map((record, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the decisions keep their order
        <li key={i}>
          <Decided record={record} words={words} />
        </li>
      ))}
      {stop.scanned > 0 && (
        <li>
          <Mark is={null} />
          <p>
            <b>{count(stop.scanned)}</b> {stop.scanned === 1 ? "page was" : "pages were"} scanned
            for it.
          </p>
        </li>
      )}
    </ul>
  );
}

/** Both sides of the comparison, each as a sum, then which one is larger. */
function MarkSum({ test, words, plan, info }: PlanProps & { test: MarkTest }) {
  const mark = MARKS[test.mark] ?? "";
  const name = `Wm${test.passed ? "Pass" : "Fail"}${test.kept > 0 ? "" : "Plain"}`;
  const branches = branchesOf(name, words.catalog);
  const isLowered = test.counted !== test.whole;
  const out = test.free - test.value;
  const why = out === 0 ? "" : uncountedWords(test, plan.asked.order, 2 ** info.pageblock_order);
  return (
    <>
      <table className="sum" aria-label={`Watermark check at ${mark}`}>
        <tbody>
          <tr>
            <Term value={test.free} words="free pages" />
            <Term sign="−" value={out} words="not counted" />
            <Term sign="=" value={test.value} words="counted" />
          </tr>
          <tr>
            <Term value={test.counted} words={isLowered ? `of ${mark}` : `${mark} watermark`} />
            <Term sign="+" value={test.kept} words="reserve" />
            <Term sign="=" value={test.needs} words="needed" />
          </tr>
        </tbody>
      </table>
      {why && <p className="cap">Not counted: {why}.</p>}
      {isLowered && <p className="cap">The watermark: {loweredWords(test)}.</p>}
      <p className="compared">
        <Mark is={test.passed} />
        <span>
          <b>{count(test.value)}</b> is {test.passed ? "above" : "not above"}{" "}
          <b>{count(test.needs)}</b>
          {branches && `: ${branches.taken}.`}
          {branches && <small className="otherwise">Otherwise: {branches.others.join()}.</small>}
        </span>
      </p>
    </>
  );
}

function Term({ sign = "", value, words }: { sign?: string; value: number; words: string }) {
  return (
    <td>
      <span className="sign">{sign} </span>
      <b>{count(value)}</b> <small>{words}</small>
    </td>
  );
}

/** The loop that subtracts the free blocks of each smaller order. */
function OrderLoop({ orders, of }: { orders: readonly OrderTest[]; of: number }) {
  return (
    <table className="orders" aria-label={`Check without smaller blocks, up to order ${of}`}>
      <thead>
        <tr>
          <th scope="col">without blocks below</th>
          <th scope="col">counted</th>
          <th scope="col">needed</th>
          <th scope="col">passes</th>
        </tr>
      </thead>
      <tbody>
        {orders.map(({ order, value, needs, passed }) => (
          <tr key={order}>
            <th scope="row">order {order}</th>
            <td className="num">{count(value)}</td>
            <td className="num">{count(needs)}</td>
            <td>
              <Mark is={passed} /> {passed ? "yes" : "no"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Taken({ stop, words }: PlanProps & { stop: Stop }) {
  const { told, fetched, halved } = takingOf(stop.take);
  return (
    <ul className="taking" aria-label="How a block was taken">
      {told.map((record, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the decisions keep their order
        <li key={i}>
          <Decided record={record} words={words} />
        </li>
      ))}
      {fetched > 1 && (
        <li>
          <Mark is={null} />
          <p>
            And so on until <b>{count(fetched)}</b> blocks were fetched, with <b>{count(halved)}</b>{" "}
            {halved === 1 ? "split" : "splits"} in total.
          </p>
        </li>
      )}
    </ul>
  );
}
