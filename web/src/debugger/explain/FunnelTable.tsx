import { count } from "../../engine/format";
import { Swatch } from "../../ui/swatch";
import { FATES, type Fate, FREED, type Funnel, freedIn, putBackIn } from "./funnel";
import { FUNNEL_TABLE } from "./words";

/** The name of a fate, its explanation, and the resulting page state, if any. */
const WORDS: Readonly<Record<Fate, readonly [words: string, why: string, state?: string]>> = {
  freed: ["freed", FUNNEL_TABLE.cleanAndNotReferenced],
  orphan: ["freed: owner gone", FUNNEL_TABLE.itsLastUserReleased],
  activated: ["activated", "referenced again"],
  referenced: ["kept", FUNNEL_TABLE.referencedOnce],
  writeback: ["under writeback", FUNNEL_TABLE.writeMustEndFirst, "writeback"],
  flushers: [FUNNEL_TABLE.dirtyLeftToFlushers, FUNNEL_TABLE.flushersWriteIt, "dirty"],
  written: ["dirty: written now", FUNNEL_TABLE.freedWhenWriteHasEnded, "dirty"],
  unwritable: ["dirty: kept", FUNNEL_TABLE.thisReclaimer, "dirty"],
  congested: ["dirty: congested", FUNNEL_TABLE.itsDeviceIsCongested, "dirty"],
  mapped: ["mapped", FUNNEL_TABLE.mustNotBeUnmapped],
  locked: ["locked", FUNNEL_TABLE.byAnotherTask],
  mlocked: ["mlocked", FUNNEL_TABLE.movedToUnevictableList],
  "no-slot": [FUNNEL_TABLE.noSwapSlot, FUNNEL_TABLE.swapIsFullActivated],
  "no-io": ["no swap I/O", FUNNEL_TABLE.thisRequest],
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
    {
      id: "scanned",
      words: FUNNEL_TABLE.scanned,
      why: "",
      pages: scanned,
      before: 0,
      look: "whole",
    },
  ];
  let before = 0;
  const put = (row: Omit<FunnelBar, "before">) => {
    if (row.pages > 0) rows.push({ ...row, before });
    before += row.pages;
  };
  const skips = { id: "skipped", words: FUNNEL_TABLE.skipped, why: FUNNEL_TABLE.itsZoneIsToo };
  put({ ...skips, pages: skipped, look: "part" });
  if (taken > 0) {
    const words = { id: "taken", words: FUNNEL_TABLE.isolated, why: "" };
    rows.push({ ...words, pages: taken, before, look: "whole" });
  }
  for (const fate of FATES) {
    const [words, why, state] = WORDS[fate];
    const look = FREED.has(fate) ? "foot" : state ? "as-state" : "part";
    put({ id: fate, words, why, pages: fates[fate], look, state });
  }
  put({ id: "ahead", words: FUNNEL_TABLE.notDecidedYet, why: "", pages: ahead, look: "ahead" });
  return rows;
}

/** A funnel as bars with numbers: each starts at the end of the bar before. */
export function FunnelTable({ funnel, label }: { funnel: Funnel; label: string }) {
  const none = FATES.filter((fate) => funnel.fates[fate] === 0).map((fate) => WORDS[fate][0]);
  const whole = Math.max(1, funnel.scanned);
  return (
    <>
      <table className="bars" aria-label={FUNNEL_TABLE.outcomeOfPages(label)}>
        <tbody>
          {rowsOf(funnel).map((row) => (
            <Bar key={row.id} row={row} whole={whole} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{FUNNEL_TABLE.freedInTotal}</th>
            <td className="share">{FUNNEL_TABLE.ofScanned(freedIn(funnel) / whole)}</td>
            <td className="num">{count(freedIn(funnel))}</td>
          </tr>
          <tr>
            <th scope="row">{FUNNEL_TABLE.putBackInTotal}</th>
            <td className="share">{FUNNEL_TABLE.ofScanned(putBackIn(funnel) / whole)}</td>
            <td className="num">{count(putBackIn(funnel))}</td>
          </tr>
        </tfoot>
      </table>
      {none.length > 0 && funnel.ahead === 0 && funnel.taken > 0 && (
        <p className="unmet">{FUNNEL_TABLE.none(none.join(", "))}</p>
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
