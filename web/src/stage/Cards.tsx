// Cards that stand where the machine would: unavailable, broken, refused. Each says what
// is known and offers something to do.

import { useWorkbench, useWorkbenchState } from "../app/context";
import type { OpenRefusal, Trap } from "../app/store";
import { count } from "../engine/format";

/** What was refused, as the titles call it. */
const THINGS: Partial<Record<OpenRefusal["source"], string>> = {
  file: "file",
  library: "saved moment",
};

const TITLES: Record<OpenRefusal["why"], string> = {
  "too-large": "This link is too large to open",
  "not-ours": "This is not a whole link of mmscope",
  "from-a-newer-version": "This link was made by a newer mmscope",
  invalid: "This link cannot be opened",
  unread: "The engine broke while it read this",
};

/** A refused link or choice: the field, the limit, and what can be opened instead. */
export function RefusalCard({ refusal }: { refusal: OpenRefusal }) {
  const workbench = useWorkbench();
  const hasSession = useWorkbenchState((state) => state.session !== null);
  const { source, why, detail, refusals, nearest } = refusal;
  const isUnread = why === "unread";
  const isMismatch = source === "choice" && !isUnread;
  const thing = THINGS[source] ?? "link";
  const title = isMismatch ? "These do not go together" : TITLES[why].replace("link", thing);
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
          <button type="button" className="btn line" onClick={() => workbench.tryAgain(nearest)}>
            Open with the nearest valid value
          </button>
        )}
        {isUnread && (
          <button type="button" className="btn line" onClick={() => workbench.tryAgain()}>
            Try again
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
export function TrapCard({ trap }: { trap: Trap }) {
  const workbench = useWorkbench();
  const { message, position, isSilent = false } = trap;
  const step = position?.step ?? null;
  // What broke it is not done again; nothing is known to have silenced it.
  const back = isSilent ? 0 : 1;
  return (
    <div className="card" role="alertdialog" aria-label="The engine stopped">
      <h2>The engine stopped{step === null ? "" : ` after #${count(step)}`}</h2>
      <p>
        <code>{message}</code>
      </p>
      <p className="else">
        {isSilent
          ? "The browser may have ended it, for want of memory say: "
          : "It broke one of its own rules, so "}
        this machine cannot go on. Your experiment, position, notes, bookmarks and breakpoints are
        kept.
      </p>
      <div className="actions">
        <button type="button" className="btn solid" onClick={() => workbench.restart()}>
          {step === null
            ? "Restart where it last stood"
            : `Restart at #${count(Math.max(0, step - back))}`}
        </button>
      </div>
    </div>
  );
}

/** The engine cannot run in this browser, or did not arrive. */
export function UnavailableCard({ message }: { message: string }) {
  const isMissing = typeof WebAssembly === "undefined";
  const title = isMissing ? "This browser has no WebAssembly" : "The engine did not load";
  return (
    <div className="card" role="alertdialog" aria-label={title}>
      <h2>{title}</h2>
      {isMissing ? (
        <p>
          mmscope simulates a machine in your browser, and needs WebAssembly for it. Your browser
          lacks it or has it switched off. Open this page in a Chrome, Edge, Firefox or Safari of
          the last two years, or switch WebAssembly on; a strict security mode often switches it
          off.
        </p>
      ) : (
        <p>
          A file of this page is missing, was cut short, or your browser is too old for it. Load the
          page again. If it fails again, look whether a blocker or proxy holds back the file that
          ends in .wasm, or try another browser.
        </p>
      )}
      {!isMissing && (
        <p className="else">
          The browser says: <code>{message}</code>
        </p>
      )}
      <p className="else">Your draft is kept, and a link you followed stays in the address.</p>
      <div className="actions">
        <button type="button" className="btn solid" onClick={() => location.reload()}>
          Load again
        </button>
      </div>
    </div>
  );
}
