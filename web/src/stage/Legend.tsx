import { STATES } from "../draw/states";
import { Name } from "../ui/lit";
import { Swatch } from "../ui/swatch";
import { LEGEND } from "./words";

/** The glossary entries of the states. */
const TERMS: Readonly<Record<string, string>> = {
  free: "free-page",
  "anon-active": "anonymous-page active-list",
  "anon-inactive": "anonymous-page inactive-list",
  "file-active": "file-page active-list",
  "file-inactive": "file-page inactive-list",
  dirty: "dirty",
  writeback: "writeback",
  isolated: "isolated",
  slab: "slab",
  "page-table": "page-table",
  huge: "huge-page",
  reserved: "reserved",
};

/**
 * The meaning of a page's colours and shapes; for cells, a note that a cell may have several
 * states.
 */
export function Legend({ isOfCells = false }: { isOfCells?: boolean }) {
  const words = isOfCells ? LEGEND.cellStates : LEGEND.pageStates;
  return (
    <ul className="legend" aria-label={words} title={isOfCells ? words : undefined}>
      {STATES.map(({ token, words }, state) => (
        <li key={token}>
          <Name k={`state ${state}`} className="legend-name" term={TERMS[token]}>
            <Swatch token={token} />
            {words}
          </Name>
        </li>
      ))}
    </ul>
  );
}
