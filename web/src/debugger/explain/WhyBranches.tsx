import { useWorkbenchState } from "../../app/context";
import { branchesOf } from "./branches";
import { WHY_BRANCHES } from "./words";

/** The branch that the last decision took, and the other branch. */
export function WhyBranches({ decision }: { decision: string }) {
  const catalog = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const found = catalog && branchesOf(decision, catalog);
  if (!found) return <>{WHY_BRANCHES.noOtherBranch}</>;
  return (
    <>
      <b>{WHY_BRANCHES.taken}</b> {found.taken}. <b>{WHY_BRANCHES.notTaken}</b>{" "}
      {found.others.join(", or ")}.
    </>
  );
}
