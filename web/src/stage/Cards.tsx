// Cards in place of the machine: unavailable, broken, refused. Each says what is known and offers
// an action.

import { useWorkbench, useWorkbenchState } from "../app/context";
import type { OpenRefusal, Trap } from "../app/store";
import { count } from "../engine/format";
import { shortPath, shortSentence } from "../engine/shortened";
import type { Refusal } from "../engine/types";

/** Words in the titles for what was refused. */
const THINGS: Partial<Record<OpenRefusal["source"], string>> = {
  file: "file",
  library: "saved moment",
};

const TITLES: Record<OpenRefusal["why"], string> = {
  "too-large": "This link is too large to open",
  "not-ours": "This link is incomplete or not from mmscope",
  "from-a-newer-version": "This link was made by a newer version of mmscope",
  invalid: "This link cannot be opened",
  unread: "The engine failed while reading this",
};

/** Most refused fields that a card lists, so that its actions stay visible below. */
const MOST_REFUSALS = 8;

/** A refused link or choice: the field, the limit, and what can be opened instead. */
export function RefusalCard({ refusal }: { refusal: OpenRefusal }) {
  const workbench = useWorkbench();
  const hasSession = useWorkbenchState((state) => state.session !== null);
  const { source, why, detail, refusals, nearest } = refusal;
  const isUnread = why === "unread";
  const isMismatch = source === "choice" && !isUnread;
  const thing = THINGS[source] ?? "link";
  const title = isMismatch ? mismatchTitle(refusals) : TITLES[why].replace("link", thing);
  return (
    <div className="card" role="alertdialog" aria-label={title}>
      <h2>{title}</h2>
      {detail && <p>{shortSentence(detail)}</p>}
      <Refused refusals={refusals} />
      <p className="else">Nothing was run. Your draft is unchanged.</p>
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
            {isMismatch ? "Cancel" : "Keep the open experiment"}
          </button>
        ) : (
          <button type="button" className="btn solid" onClick={() => workbench.dismissRefusal()}>
            Open my draft
          </button>
        )}
      </div>
    </div>
  );
}

/** The part with which a choice from the menus cannot be combined. */
const mismatchTitle = (refusals: readonly Refusal[]): string =>
  refusals.length > 0 && refusals.every(({ path }) => path.startsWith("workload"))
    ? "This workload cannot run on this machine"
    : "This combination cannot run";

/** The first refused fields, and the number of others. */
function Refused({ refusals }: { refusals: readonly Refusal[] }) {
  if (refusals.length === 0) return null;
  const shown = refusals.slice(0, MOST_REFUSALS);
  const more = refusals.length - shown.length;
  return (
    <ul>
      {shown.map(({ path, reason }) => (
        <li key={`${path} ${reason}`}>
          {path && <code>{shortPath(path)}</code>} {shortSentence(reason)}
        </li>
      ))}
      {more > 0 && <li>… and {count(more)} more.</li>}
    </ul>
  );
}

/** Why the engine stopped, before the sentence about saved work. */
const STOPPED: Record<Trap["why"], string> = {
  broke: "An internal check of the engine failed, so this machine cannot continue.",
  ended: "This usually means that the device is short of memory. This machine cannot continue.",
  silent:
    "It may be busy. This message disappears when it responds. If you restart it, this machine starts again.",
};

/** The engine stopped, or seems to have stopped. */
export function TrapCard({ trap }: { trap: Trap }) {
  const workbench = useWorkbench();
  const { message, position, why } = trap;
  const step = position?.step ?? null;
  // After a trap, goes back before the step that caused it. If the worker ended in another way, no
  // step is known to be the cause.
  const back = why === "broke" ? 1 : 0;
  const title = why === "silent" ? "The engine does not respond" : "The engine stopped";
  return (
    <div className="card" role="alertdialog" aria-label={title}>
      <h2>
        {title}
        {step === null || why === "silent" ? "" : ` after #${count(step)}`}
      </h2>
      <p>
        <code>{message}</code>
      </p>
      <p className="else">
        {STOPPED[why]} Your experiment, position, notes, bookmarks and breakpoints are kept.
      </p>
      <div className="actions">
        <button type="button" className="btn solid" onClick={() => workbench.restart()}>
          {step === null
            ? "Restart at the last position"
            : `Restart at #${count(Math.max(0, step - back))}`}
        </button>
      </div>
    </div>
  );
}

/** The engine cannot run in this browser, or did not load. */
export function UnavailableCard({ message }: { message: string }) {
  const isMissing = typeof WebAssembly === "undefined";
  const title = isMissing ? "This browser has no WebAssembly" : "The engine did not load";
  return (
    <div className="card" role="alertdialog" aria-label={title}>
      <h2>{title}</h2>
      {isMissing ? (
        <p>
          mmscope simulates a machine in your browser and needs WebAssembly. Your browser does not
          support it or has it turned off. Open this page in Chrome, Edge, Firefox or Safari, in a
          version of the last two years, or turn WebAssembly on. A strict security mode often turns
          it off.
        </p>
      ) : (
        <p>
          A file of this page is missing or incomplete, or your browser is too old for it. Reload
          the page. If it fails again, check whether a blocker or proxy blocks the file that ends in
          .wasm, or try another browser.
        </p>
      )}
      {!isMissing && (
        <p className="else">
          The browser reports: <code>{message}</code>
        </p>
      )}
      <p className="else">Your draft is kept. A link you followed is still in the address bar.</p>
      <div className="actions">
        <button type="button" className="btn solid" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    </div>
  );
}
