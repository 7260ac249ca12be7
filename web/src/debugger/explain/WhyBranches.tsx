import { useWorkbenchState } from "../../app/context";
import { branchesOf } from "./branches";

/** The branch that the last decision took, and the other one. */
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
