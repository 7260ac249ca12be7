import { count, zoneWords } from "../../../engine/format";
import { MARKS } from "../../../engine/sentence";
import { Name } from "../../../ui/lit";
import { RichText } from "../../../ui/rich-text";
import { Mark, StepLink } from "../bits";
import { branchesOf } from "../branches";
import { Decided, type PlanProps } from "./Decided";
import type { MarkTest, OrderTest, Stop, Walk } from "./plan";
import { ignoresMarks, loweredWords, takingOf, uncountedWords, VERDICTS } from "./plan-words";
import { STOP_ITEM } from "./words";

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
          <span className="stop" title={STOP_ITEM.zoneOfOnZonelist(stop.place, stop.of)}>
            <span className="sr">{STOP_ITEM.zone} </span>
            {stop.place}
          </span>
        )}
        <Name k={`zone ${zone}`}>{zoneWords(zone)}</Name>
        <StepLink step={stop.step} />
      </h4>
      {stop.dirty && <p>{STOP_ITEM.dirtyOrUnderWriteback(stop.dirty.pages, stop.dirty.limit)}</p>}
      {ignoresMarks(walk) && <p>{STOP_ITEM.allocNoWatermarks}</p>}
      {stop.test && <MarkSum test={stop.test} {...props} />}
      {stop.home.length > 0 && <AtHome stop={stop} {...props} />}
      {stop.retest && <MarkSum test={stop.retest} {...props} />}
      {stop.orders.length > 0 && <OrderLoop orders={stop.orders} of={props.plan.asked.order} />}
      {stop.block && (
        <p>
          {stop.block.order === null
            ? STOP_ITEM.noFreeBlock(props.plan.asked.order)
            : STOP_ITEM.freeBlockOfOrder(stop.block.order)}
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
    <ul className="taking" aria-label={STOP_ITEM.zoneReclaimAndZonelistCache}>
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
            <RichText
              text={STOP_ITEM.scannedForIt(stop.scanned)}
              parts={{ scanned: <b>{count(stop.scanned)}</b> }}
            />
          </p>
        </li>
      )}
    </ul>
  );
}

/** Both sides of the comparison, each as a sum, then which one is larger. */
function MarkSum({ test, words, plan, info }: PlanProps & { test: MarkTest }) {
  const mark = MARKS[test.mark] ?? "";
  const name = `Wm${test.passed ? "Pass" : "Fail"}${test.reserved > 0 ? "" : "Plain"}`; // not a text: a decision's name
  const branches = branchesOf(name, words.catalog);
  const isLowered = test.counted !== test.whole;
  const out = test.free - test.value;
  const why = out === 0 ? "" : uncountedWords(test, plan.asked.order, 2 ** info.pageblock_order);
  return (
    <>
      <table className="sum" aria-label={STOP_ITEM.watermarkCheckAt(mark)}>
        <tbody>
          <tr>
            <Term value={test.free} words={STOP_ITEM.freePages} />
            <Term sign="−" value={out} words={STOP_ITEM.notCounted} />
            <Term sign="=" value={test.value} words={STOP_ITEM.counted} />
          </tr>
          <tr>
            <Term
              value={test.counted}
              words={isLowered ? STOP_ITEM.markOf(mark) : STOP_ITEM.watermark(mark)}
            />
            <Term sign="+" value={test.reserved} words={STOP_ITEM.reserve} />
            <Term sign="=" value={test.needs} words={STOP_ITEM.needed} />
          </tr>
        </tbody>
      </table>
      {why && <p className="cap">{STOP_ITEM.notCounted2(why)}</p>}
      {isLowered && <p className="cap">{STOP_ITEM.watermark2(loweredWords(test))}</p>}
      <p className="compared">
        <Mark is={test.passed} />
        <span>
          <RichText
            text={test.passed ? STOP_ITEM.above : STOP_ITEM.notAbove}
            parts={{ value: <b>{count(test.value)}</b>, needed: <b>{count(test.needs)}</b> }}
          />
          {branches && `: ${branches.taken}.`}
          {branches && (
            <small className="otherwise">
              {STOP_ITEM.otherwise(branches.others.join(", or "))}
            </small>
          )}
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
    <table className="orders" aria-label={STOP_ITEM.checkWithoutSmallerBlocks(of)}>
      <thead>
        <tr>
          <th scope="col">{STOP_ITEM.withoutBlocksBelow}</th>
          <th scope="col">{STOP_ITEM.counted}</th>
          <th scope="col">{STOP_ITEM.needed}</th>
          <th scope="col">{STOP_ITEM.passes}</th>
        </tr>
      </thead>
      <tbody>
        {orders.map(({ order, value, needs, passed }) => (
          <tr key={order}>
            <th scope="row">{STOP_ITEM.order(order)}</th>
            <td className="num">{count(value)}</td>
            <td className="num">{count(needs)}</td>
            <td>
              <Mark is={passed} /> {passed ? STOP_ITEM.yes : STOP_ITEM.no}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Taken({ stop, words }: PlanProps & { stop: Stop }) {
  const { records, fetched, halved } = takingOf(stop.take);
  return (
    <ul className="taking" aria-label={STOP_ITEM.howBlockWasTaken}>
      {records.map((record, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the decisions keep their order
        <li key={i}>
          <Decided record={record} words={words} />
        </li>
      ))}
      {fetched > 1 && (
        <li>
          <Mark is={null} />
          <p>
            <RichText
              text={STOP_ITEM.andSoOnUntil(halved)}
              parts={{ fetched: <b>{count(fetched)}</b>, halved: <b>{count(halved)}</b> }}
            />
          </p>
        </li>
      )}
    </ul>
  );
}
