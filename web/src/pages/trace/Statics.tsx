import type { StaticCapture } from "../../engine/capture/answers";
import { count, counted } from "../../engine/format";

/** A machine at rest: the watermarks that its kernel printed, beside those of the engine. */
export function Statics({ statics }: { statics: StaticCapture }) {
  const { zones, phases, caveats } = statics;
  const differing = phases.filter(({ differ }) => differ.length > 0);
  const checked = phases.reduce((sum, phase) => sum + phase.zones, 0);
  const marks = (values: readonly number[]) => values.map(count).join(" / ");
  return (
    <section className="trace-statics" aria-labelledby="trace-statics">
      <h2 id="trace-statics">Watermarks of this machine</h2>
      <p className="trace-about">
        The capture has no run. The engine computes the watermarks of the same machine by the rules
        of its kernel: {counted(checked, "zone")} in {counted(phases.length, "setting")} were
        compared
        {differing.length === 0 ? ", and all are equal." : `; ${differing.length} settings differ.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling table must be reachable by keyboard */}
      <section className="trace-scroll" aria-label="Watermarks by zone" tabIndex={0}>
        <table className="trace-table">
          <thead>
            <tr>
              {["Zone", "Managed pages", "Kernel: min / low / high", "Engine", "Differs"].map(
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
                <td className="num">{count(zone.managed)}</td>
                <td className="num">{marks(zone.marks)}</td>
                <td className="num">{marks(zone.computed)}</td>
                <td>{zone.differ.join(" ") || "no"}</td>
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
