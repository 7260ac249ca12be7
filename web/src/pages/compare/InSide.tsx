import type { ReactNode } from "react";
import { WorkbenchContext } from "../../app/context";
import { usePair } from "../../app/pair/context";
import type { Side } from "../../app/pair/pair";

/** Names inside this element highlight the items of one machine. */
export function InSide({ side, children }: { side: Side; children: ReactNode }) {
  return <WorkbenchContext value={usePair()[side]}>{children}</WorkbenchContext>;
}
