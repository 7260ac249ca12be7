import { STATES } from "../draw/states";
import { Name } from "../ui/lit";
import { Swatch } from "../ui/swatch";

/** What the colours and shapes of pages mean; of cells, that each may be several of them. */
export function Legend({ isOfCells = false }: { isOfCells?: boolean }) {
  const words = isOfCells
    ? "Page states. A cell stacks its most common states, four at most, from the bottom in this order. Heights are shares."
    : "Page states";
  return (
    <ul className="legend" aria-label={words} title={isOfCells ? words : undefined}>
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
