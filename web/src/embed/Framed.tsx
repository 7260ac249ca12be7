import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { useWorkbenchState } from "../app/context";
import { EmbeddedStage } from "../pages/workbench/EmbeddedStage";
import { TermPanel } from "../ui/term-panel";
import type { Outside } from "./inside";
import { words } from "./words";

/** Shows the machine, or the reason why the host's first experiment did not open. */
export function Framed({
  fault,
  options: { theme, controls, site },
}: {
  fault: StoreApi<string | null>;
  options: Pick<Outside, "theme" | "controls" | "site">;
}) {
  const text = useStore(fault);
  const isOpen = useWorkbenchState((state) => state.session !== null);
  if (text !== null && !isOpen) {
    return (
      <div className="embed-fault" role="alert">
        <h1>{words.cannotOpen}</h1>
        <p>{text}</p>
      </div>
    );
  }
  return (
    <>
      <EmbeddedStage
        address={{ page: "workbench", x: null }}
        embed={{ theme, controls, faults: [] }}
        site={site}
      />
      <TermPanel />
    </>
  );
}
