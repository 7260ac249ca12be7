// Cards that stand where the machine would: unavailable, broken, refused. Each says what
// is known and offers something to do.

import { count } from "../draw/format";
import type { LinkRefusal } from "../link/link";
import { useWorkbench, useWorkbenchState } from "./context";
import type { OpenRefusal } from "./store";

const TITLES: Record<LinkRefusal, string> = {
  "too-large": "This link is too large to open",
  "not-ours": "This is not a whole link of mmscope",
  "from-a-newer-version": "This link was made by a newer mmscope",
  invalid: "This link cannot be opened",
};

/** A refused link or choice: the field, the limit, and what can be opened instead. */
export function RefusalCard({ refusal }: { refusal: OpenRefusal }) {
  const workbench = useWorkbench();
  const hasSession = useWorkbenchState((state) => state.session !== null);
  const { source, why, detail, refusals, nearest } = refusal;
  const title = source === "choice" ? "These do not go together" : TITLES[why];
  return (
    <div className="card" role="alertdialog" aria-label={title}>
      <h2>{title}</h2>
      {detail && <p>{detail}</p>}
      {refusals.length > 0 && (
        <ul>
          {refusals.map(({ path, reason }) => (
            <li key={`${path} ${reason}`}>
              {path && <code>{path}</code>} {reason}
            </li>
          ))}
        </ul>
      )}
      <p className="else">Nothing was run, and your draft is as you left it.</p>
      <div className="actions">
        {nearest !== null && (
          <button
            type="button"
            className="btn line"
            onClick={() => workbench.open(nearest, "link")}
          >
            Open with the nearest valid value
          </button>
        )}
        {hasSession ? (
          <button type="button" className="btn solid" onClick={() => workbench.dismissRefusal()}>
            Keep what is open
          </button>
        ) : (
          <button type="button" className="btn solid" onClick={() => workbench.dismissRefusal()}>
            My draft
          </button>
        )}
      </div>
    </div>
  );
}

/** The engine broke one of its own rules. */
export function TrapCard({ message, step }: { message: string; step: number | null }) {
  const workbench = useWorkbench();
  const at = step === null ? "the start" : `#${count(Math.max(0, step - 1))}`;
  return (
    <div className="card" role="alertdialog" aria-label="The engine stopped">
      <h2>The engine stopped{step === null ? "" : ` after #${count(step)}`}</h2>
      <p>
        <code>{message}</code>
      </p>
      <p className="else">Your experiment and position are kept.</p>
      <div className="actions">
        <button type="button" className="btn solid" onClick={() => workbench.restart()}>
          Restart at {at}
        </button>
      </div>
    </div>
  );
}

/** The engine cannot run in this browser. */
export function UnavailableCard({ message }: { message: string }) {
  return (
    <div className="card" role="alert">
      <h2>mmscope cannot start here</h2>
      <p>
        {typeof WebAssembly === "undefined"
          ? "mmscope simulates a machine with WebAssembly, which this browser lacks or forbids."
          : "The engine could not be loaded. Reload the page to try again."}
      </p>
      <p className="else">
        <code>{message}</code>
      </p>
    </div>
  );
}
