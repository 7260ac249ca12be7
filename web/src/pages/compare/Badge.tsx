import type { Side } from "../../app/pair/pair";
import { FORK } from "./words";

/** The badge of a machine: A in an open circle, B in a filled circle. */
export function Badge({ side }: { side: Side }) {
  return (
    <span className="compare-badge" data-side={side}>
      {FORK.sideOf[side]}
    </span>
  );
}
