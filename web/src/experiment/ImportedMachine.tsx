// The engine's reading of a pasted zoneinfo.

import { count } from "../engine/format";
import type { Refusal } from "../engine/types";
import { actsWhen } from "../ui/acts";
import type { ImportReport, Marks, ZoneCheck } from "./import-report";
import { IMPORTED_MACHINE } from "./words";

/**
 * The state of "Open this machine": not pressed, busy, or the reasons why the engine rejected the
 * machine.
 */
export type Opening = "not" | "busy" | readonly Refusal[];

interface ImportedProps {
  readonly report: ImportReport;
  readonly opening: Opening;
  readonly open: (report: ImportReport) => void;
}

/** The machine as it was read, a comparison of its watermarks, and the button that opens it. */
export function ImportedMachine({ report, opening, open }: ImportedProps) {
  const zones = report.check.filter(isPopulated);
  return (
    <>
      {report.caveats.map((caveat) => (
        <p key={caveat} className="caveat">
          {caveat}
        </p>
      ))}
      <h3>{verdictWords(zones)}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
      <section className="sideways" tabIndex={0} aria-label={IMPORTED_MACHINE.watermarksByZone}>
        <table className="checks">
          <caption className="sr">{IMPORTED_MACHINE.watermarksPastedAndComputed}</caption>
          <thead>
            <tr>
              <th scope="col">{IMPORTED_MACHINE.zone}</th>
              <th scope="col">{IMPORTED_MACHINE.minLowHighPasted}</th>
              <th scope="col">{IMPORTED_MACHINE.computed}</th>
              <th scope="col">{IMPORTED_MACHINE.verdict}</th>
            </tr>
          </thead>
          <tbody>
            {zones.map((zone) => (
              <CheckRow key={`${zone.node}/${zone.zone}`} zone={zone} />
            ))}
          </tbody>
        </table>
      </section>
      {zoneNotes(report).map(({ zones: named, reason }) => (
        <p key={reason}>
          {named}: {reason}.
        </p>
      ))}
      <details className="options">
        <summary>{IMPORTED_MACHINE.whatWasInferred}</summary>
        <table className="checks">
          <tbody>
            {report.inferred.map(({ what, value, from }) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td>{value}</td>
                <td>{from}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      {Array.isArray(opening) && <OpenRefused refusals={opening} />}
      {report.cannot_run === null ? (
        <button
          type="button"
          className="btn solid"
          {...actsWhen(opening !== "busy", () => open(report))}
        >
          {IMPORTED_MACHINE.openThisMachine}
        </button>
      ) : (
        <p className="caveat">{IMPORTED_MACHINE.onlyChecked(report.cannot_run)}</p>
      )}
    </>
  );
}

/** The difference between computed and pasted watermarks: "Both zones within 1 page". */
export function verdictWords(zones: readonly Pick<ZoneCheck, "differences">[]): string {
  const differing = zones.filter(({ differences }) => differences.length > 0);
  if (differing.length === 0) return IMPORTED_MACHINE.allEqual;
  const apart = differing.flatMap(({ differences }) =>
    differences.map(({ dump, computed }) => Math.abs(dump - computed)),
  );
  const most = IMPORTED_MACHINE.pages(Math.max(...apart));
  if (differing.length < zones.length) {
    return IMPORTED_MACHINE.someDiffer(differing.length, zones.length, most);
  }
  if (zones.length === 1) return IMPORTED_MACHINE.zoneIsWithin(most);
  return IMPORTED_MACHINE.zonesWithin(zones.length, most);
}

/** The machine was read but cannot run; the pasted text stays. */
const OpenRefused = ({ refusals }: { refusals: readonly Refusal[] }) => (
  <div role="alert">
    <h3>{IMPORTED_MACHINE.thisMachineCannotBeOpened}</h3>
    <ul className="faults">
      {refusals.map(({ path, reason }) => (
        <li key={`${path} ${reason}`}>
          {path && <code>{path}</code>} {reason}
        </li>
      ))}
    </ul>
  </div>
);

/** Notes about zones, one for each reason: "0/DMA (16 pages), 0/Normal (64 pages)". */
function zoneNotes({ not_simulated }: ImportReport) {
  const notes = new Map<string, string[]>();
  for (const { node, zone, present, reason } of not_simulated) {
    const named = IMPORTED_MACHINE.zonePages(node, zone, present);
    notes.set(reason, [...(notes.get(reason) ?? []), named]);
  }
  return [...notes].map(([reason, zones]) => ({ reason, zones: zones.join(", ") }));
}

const marksWords = ({ min, low, high }: Marks) => [min, low, high].map(count).join(", ");

/** Zones without memory have no watermarks, so there is nothing to compare. */
const isPopulated = ({ dump, differences }: ZoneCheck) => dump.high > 0 || differences.length > 0;

/** The differences, one entry for each reason: "min, low, high: managed was smaller when ...". */
function differencesWords({ differences }: ZoneCheck): string {
  const reasons = new Map<string, string[]>();
  for (const { what, reason } of differences) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), what]);
  }
  return [...reasons].map(([reason, what]) => `${what.join(", ")}: ${reason}`).join("; ");
}

function CheckRow({ zone }: { zone: ZoneCheck }) {
  const isEqual = zone.differences.length === 0;
  return (
    <tr className={isEqual ? "" : "off"}>
      <th scope="row">
        {zone.node}/{zone.zone}
      </th>
      <td>{marksWords(zone.dump)}</td>
      <td>{marksWords(zone.computed)}</td>
      <td>{isEqual ? IMPORTED_MACHINE.equalReservesIncluded : differencesWords(zone)}</td>
    </tr>
  );
}
