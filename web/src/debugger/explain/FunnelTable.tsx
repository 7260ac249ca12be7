import { count, percent } from "../../engine/format";
import { Swatch } from "../../ui/swatch";
import { FATES, type Fate, FREED, type Funnel, freedIn, putBackIn } from "./funnel";

/** The name of a fate, its explanation, and the page state that it gives, if any. */
const WORDS: Readonly<Record<Fate, readonly [words: string, why: string, state?: string]>> = {
  freed: ["freed", "clean and not referenced"],
  orphan: ["freed: owner gone", "its last user released it while it was isolated"],
  activated: ["activated", "referenced again"],
  referenced: ["kept", "referenced: a second chance"],
  writeback: ["under writeback", "the write must end first", "writeback"],
  flushers: ["dirty: left to flushers", "the flushers write it", "dirty"],
  written: ["dirty: written now", "freed when the write has ended", "dirty"],
  unwritable: ["dirty: kept", "this reclaimer may not write it", "dirty"],
  congested: ["dirty: congested", "its device is congested", "dirty"],
  mapped: ["mapped", "must not be unmapped"],
  locked: ["locked", "by another task"],
  mlocked: ["mlocked", "moved to the unevictable list"],
  "no-slot": ["no swap slot", "swap is full: activated"],
  "no-io": ["no swap I/O", "this request may not do I/O"],
};

interface FunnelBar {
  readonly id: string;
  readonly words: string;
  readonly why: string;
  readonly pages: number;
  /** Pages of the earlier bars of the same whole. */
  readonly before: number;
  readonly look: string;
  readonly state?: string | undefined;
}

/** Parts of a whole, each starting at the end of the part before. */
function rowsOf(funnel: Funnel): FunnelBar[] {
  const { scanned, skipped, taken, fates, ahead } = funnel;
  const rows: FunnelBar[] = [
    { id: "scanned", words: "scanned", why: "", pages: scanned, before: 0, look: "whole" },
  ];
  let before = 0;
  const put = (row: Omit<FunnelBar, "before">) => {
    if (row.pages > 0) rows.push({ ...row, before });
    before += row.pages;
  };
  const skips = { id: "skipped", words: "skipped", why: "its zone is too high for this request" };
  put({ ...skips, pages: skipped, look: "part" });
  if (taken > 0) {
    const words = { id: "taken", words: "isolated", why: "" };
    rows.push({ ...words, pages: taken, before, look: "whole" });
  }
  for (const fate of FATES) {
    const [words, why, state] = WORDS[fate];
    const look = FREED.has(fate) ? "foot" : state ? "as-state" : "part";
    put({ id: fate, words, why, pages: fates[fate], look, state });
  }
  put({ id: "ahead", words: "not decided yet", why: "", pages: ahead, look: "ahead" });
  return rows;
}

/** A funnel as bars with numbers: each starts at the end of the bar before. */
export function FunnelTable({ funnel, label }: { funnel: Funnel; label: string }) {
  const none = FATES.filter((fate) => funnel.fates[fate] === 0).map((fate) => WORDS[fate][0]);
  const whole = Math.max(1, funnel.scanned);
  return (
    <>
      <table className="bars" aria-label={`${label}: outcome of the pages`}>
        <tbody>
          {rowsOf(funnel).map((row) => (
            <Bar key={row.id} row={row} whole={whole} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">freed in total</th>
            <td className="share">{percent(freedIn(funnel) / whole)} of scanned</td>
            <td className="num">{count(freedIn(funnel))}</td>
          </tr>
          <tr>
            <th scope="row">put back in total</th>
            <td className="share">{percent(putBackIn(funnel) / whole)} of scanned</td>
            <td className="num">{count(putBackIn(funnel))}</td>
          </tr>
        </tfoot>
      </table>
      {none.length > 0 && funnel.ahead === 0 && funnel.taken > 0 && (
        <p className="unmet">None: {none.join(", ")}.</p>
      )}
    </>
  );
}

function Bar({ row, whole }: { row: FunnelBar; whole: number }) {
  const { words, why, pages, before, look, state } = row;
  return (
    <tr className={look}>
      <th scope="row">
        {state && <Swatch token={state} size_px={10} />} {words}
        {why && <small>{why}</small>}
      </th>
      <td>
        <span className="track">
          <i
            style={{
              insetInlineStart: `${(before / whole) * 100}%`,
              inlineSize: `${(pages / whole) * 100}%`,
              ...(state && { background: `var(--${state})` }),
            }}
          />
        </span>
      </td>
      <td className="num">{count(pages)}</td>
    </tr>
  );
}
