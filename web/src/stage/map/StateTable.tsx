import { STATES } from "../../draw/states";
import { count } from "../../engine/format";
import type { ZoneView } from "../../engine/types";

/** The map's contents as a table, for who cannot see the picture. */
export function StateTable({ node, zones }: { node: number; zones: readonly ZoneView[] }) {
  const here = zones.filter((zone) => zone.node === node);
  return (
    <div className="sr">
      <table>
        <caption>Pages of node {node} by zone and state</caption>
        <thead>
          <tr>
            <th scope="col">zone</th>
            {STATES.map(({ words }) => (
              <th key={words} scope="col">
                {words}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {here.map(({ key, name, states }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              {STATES.map(({ words }, state) => (
                <td key={words}>{count(states[state] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
