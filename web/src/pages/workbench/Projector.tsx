import { useWorkbench, useWorkbenchState } from "../../app/context";
import { switchProjector } from "../../app/projector";
import type { Session } from "../../app/store";
import { CodePanel } from "../../debugger/CodePanel";
import { WhyPanel } from "../../debugger/WhyPanel";
import type { FunctionInfo } from "../../engine/types";
import { Icon } from "../../ui/icons";
import { RichText } from "../../ui/rich-text";
import { PROJECTOR } from "./words";

/**
 * On a projector the machine fills the window: the sentence is its caption, and the code appears on
 * request.
 */
export function Projector({
  session,
  functions,
}: {
  session: Session | null;
  functions: readonly FunctionInfo[];
}) {
  const workbench = useWorkbench();
  const isCodeOpen = useWorkbenchState((state) => state.layout.isCodeOpen);
  const isLongRun = useWorkbenchState(({ longRun }) => longRun !== null);
  const frame = session?.frame;
  return (
    <aside className="side projector-side" aria-label={PROJECTOR.debugger}>
      <div className="projector-caption">
        {session && frame ? (
          <WhyPanel frame={frame} info={session.info} functions={functions} isLongRun={isLongRun} />
        ) : (
          <span className="sp" />
        )}
        <button
          type="button"
          className="btn line"
          aria-expanded={isCodeOpen}
          title={PROJECTOR.codeHelp}
          onClick={() => workbench.layOut({ isCodeOpen: !isCodeOpen })}
        >
          <RichText text={PROJECTOR.codeC} parts={{ kbd: (text) => <kbd>{text}</kbd> }} />
        </button>
        <button
          type="button"
          className="btn icon line"
          aria-label={PROJECTOR.leaveProjectorModePLabel}
          title={PROJECTOR.leaveProjectorModeP}
          onClick={switchProjector}
        >
          <Icon name="cross" />
        </button>
      </div>
      {isCodeOpen && frame && (
        <div className="projector-code">
          <CodePanel view={frame.view} functions={functions} />
        </div>
      )}
    </aside>
  );
}
