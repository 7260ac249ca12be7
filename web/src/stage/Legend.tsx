import { STATES } from "../draw/states";
import { Name } from "../ui/lit";
import { Swatch } from "../ui/swatch";

/** What the colours and shapes of pages mean. */
export function Legend() {
  return (
    <ul className="legend" aria-label="Page states">
      {STATES.map(({ token, words }, state) => (
        <li key={token}>
          <Name k={`state ${state}`} className="legend-name">
            <Swatch token={token} />
            {words}
          </Name>
        </li>
      ))}
    </ul>
  );
}
