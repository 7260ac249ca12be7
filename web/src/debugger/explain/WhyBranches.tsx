import { useWorkbenchState } from "../../app/context";
import { branchesOf } from "./branches";

/** The branch the last decision took, and what the other one would have been. */
export function WhyBranches({ decision }: { decision: string }) {
  const catalog = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const found = catalog && branchesOf(decision, catalog);
  if (!found) return <>No other branch of this decision is described.</>;
  return (
    <>
      <b>Taken:</b> {found.taken}. <b>Not taken:</b> {found.others.join(", or ")}.
    </>
  );
}
