import type { StaticCapture } from "../../engine/capture/answers";
import { count } from "../../engine/format";
import { STATICS } from "./words";

/** A machine at rest: the watermarks that its kernel printed, next to those of the engine. */
export function Statics({ statics }: { statics: StaticCapture }) {
  const { zones, phases, caveats } = statics;
  const differing = phases.filter(({ differ }) => differ.length > 0);
  const checked = phases.reduce((sum, phase) => sum + phase.zones, 0);
  const marks = (values: readonly number[]) => values.map(count).join(" / ");
  return (
    <section className="trace-statics" aria-labelledby="trace-statics">
      <h2 id="trace-statics">{STATICS.watermarksOfThisMachine}</h2>
      <p className="trace-about">{STATICS.about(checked, phases.length, differing.length)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling table must be reachable by keyboard */}
      <section className="trace-scroll" aria-label={STATICS.watermarksByZone} tabIndex={0}>
        <table className="trace-table">
          <thead>
            <tr>
              {[
                STATICS.zone,
                STATICS.managedPages,
                STATICS.kernelMinLowHigh,
                STATICS.engine,
                STATICS.differs,
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
                <td className="num">{count(zone.managed)}</td>
                <td className="num">{marks(zone.marks)}</td>
                <td className="num">{marks(zone.computed)}</td>
                <td>{zone.differ.join(" ") || STATICS.no}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <ul className="trace-refusals">
        {differing.map(({ name, differ }) => (
          <li key={name}>
            <code>{name}</code>: {differ.join(" ")}
          </li>
        ))}
        {caveats.map((caveat) => (
          <li key={caveat}>{caveat}</li>
        ))}
      </ul>
    </section>
  );
}
