import type {
  ExplainedDocument,
  ExplainedZone,
  Explanation,
  Finding,
} from "../../engine/explanation";
import { count } from "../../engine/format";
import { REPORTS } from "./words";

const SEVERITY: Readonly<Record<Finding["severity"], string>> = {
  cause: REPORTS.cause,
  warning: REPORTS.warning,
  note: REPORTS.note,
};

const VERDICT: Readonly<Record<ExplainedZone["verdict"], string>> = {
  passes: "passes",
  below: REPORTS.belowItsMark,
  no_block: REPORTS.noBlockOfThisSize,
  not_allowed: REPORTS.notAllowedForThisRequest,
  unknown: "not known",
};

/** Explains the kernel's reports in words. */
export function Reports({ explanation }: { explanation: Explanation }) {
  return (
    <section className="trace-reports" aria-labelledby="trace-reports">
      <h2 id="trace-reports">{REPORTS.whatMachineReports}</h2>
      {explanation.documents.map((document) => (
        <Document key={`${document.file}:${document.line}`} document={document} />
      ))}
    </section>
  );
}

function Document({ document }: { document: ExplainedDocument }) {
  const { title, file, line, findings, zones, unit } = document;
  return (
    <article className="trace-report">
      <h3>
        {title}{" "}
        <small>
          {file}:{line}
        </small>
      </h3>
      <ol>
        {findings.map((finding, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings are in their order
          <li key={i}>
            <b className={`trace-${finding.severity}`}>{SEVERITY[finding.severity]}:</b>{" "}
            {finding.text}
            {finding.line !== null && <small> {REPORTS.line(finding.line)}</small>}
          </li>
        ))}
      </ol>
      {zones.length > 0 && <Zones zones={zones} unit={unit} />}
    </article>
  );
}

function Zones({ zones, unit }: { zones: readonly ExplainedZone[]; unit: string }) {
  const cell = (value: number | null) => (value === null ? "–" : count(value));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling table must be reachable by keyboard
    <section className="trace-scroll" aria-label={REPORTS.zones} tabIndex={0}>
      <table className="trace-table">
        <caption>{REPORTS.zonesIn(unit)}</caption>
        <thead>
          <tr>
            {[
              REPORTS.zone,
              REPORTS.free,
              REPORTS.min,
              REPORTS.low,
              REPORTS.high,
              REPORTS.reserve,
              REPORTS.needsMoreThan,
              REPORTS.result,
            ].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {zones.map((zone) => (
            <tr key={`${zone.node}/${zone.zone}`}>
              <th scope="row">
                {zone.node}/{zone.zone}
              </th>
              {[zone.free, zone.min, zone.low, zone.high, zone.reserve, zone.needs].map(
                (value, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns are in their order
                  <td key={i} className="num">
                    {cell(value)}
                  </td>
                ),
              )}
              <td>{VERDICT[zone.verdict]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
