import type {
  ExplainedDocument,
  ExplainedZone,
  Explanation,
  Finding,
} from "../../engine/explanation";
import { count } from "../../engine/format";

const SEVERITY: Readonly<Record<Finding["severity"], string>> = {
  cause: "Cause",
  warning: "Warning",
  note: "Note",
};

const VERDICT: Readonly<Record<ExplainedZone["verdict"], string>> = {
  passes: "passes",
  below: "below its mark",
  no_block: "no block of this size",
  not_allowed: "not allowed for this request",
  unknown: "not known",
};

/** What the kernel's reports say, in words. */
export function Reports({ explanation }: { explanation: Explanation }) {
  return (
    <section className="trace-reports" aria-labelledby="trace-reports">
      <h2 id="trace-reports">What the machine reports</h2>
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
            {finding.line !== null && <small> line {finding.line}</small>}
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
    <section className="trace-scroll" aria-label="Zones" tabIndex={0}>
      <table className="trace-table">
        <caption>Zones, in {unit}</caption>
        <thead>
          <tr>
            {["Zone", "Free", "Min", "Low", "High", "Reserve", "Needs more than", "Result"].map(
              (head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ),
            )}
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
