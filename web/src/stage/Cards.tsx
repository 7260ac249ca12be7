// Cards that replace the machine: unavailable, broken, rejected. Each card explains the problem and
// offers an action.

import { useWorkbench, useWorkbenchState } from "../app/context";
import type { OpenRefusal, Trap } from "../app/store";
import { shortPath, shortSentence } from "../engine/shortened";
import type { Refusal } from "../engine/types";
import { RichText } from "../ui/rich-text";
import { CARDS } from "./words";

/** The words in the titles for the rejected item. */
const THINGS: Partial<Record<OpenRefusal["source"], string>> = {
  file: "file",
  library: "saved moment",
};

const TITLES: Record<OpenRefusal["why"], string> = {
  "too-large": CARDS.tooLarge,
  "not-ours": CARDS.notOurs,
  "from-a-newer-version": CARDS.newer,
  invalid: CARDS.invalid,
  unread: CARDS.unread,
};

/** The maximum number of wrong fields that a card lists, so that its actions stay visible. */
const MOST_REFUSALS = 8;

/** A rejected link or choice: the field, the limit, and what can be opened instead. */
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
      <p className="else">{CARDS.nothingWasRun}</p>
      <div className="actions">
        {nearest !== null && (
          <button type="button" className="btn line" onClick={() => workbench.tryAgain(nearest)}>
            {CARDS.openWithNearestValidValue}
          </button>
        )}
        {isUnread && (
          <button type="button" className="btn line" onClick={() => workbench.tryAgain()}>
            {CARDS.tryAgain}
          </button>
        )}
        {hasSession ? (
          <button type="button" className="btn solid" onClick={() => workbench.dismissRefusal()}>
            {isMismatch ? CARDS.cancel : CARDS.keepOpenExperiment}
          </button>
        ) : (
          <button type="button" className="btn solid" onClick={() => workbench.dismissRefusal()}>
            {CARDS.openMyDraft}
          </button>
        )}
      </div>
    </div>
  );
}

/** The part with which a choice from the menus cannot be combined. */
const mismatchTitle = (refusals: readonly Refusal[]): string =>
  refusals.length > 0 && refusals.every(({ path }) => path.startsWith("workload"))
    ? CARDS.thisWorkloadCannotRun
    : CARDS.thisCombinationCannotRun;

/** The first wrong fields, and the number of others. */
function Refused({ refusals }: { refusals: readonly Refusal[] }) {
  if (refusals.length === 0) return null;
  const visible = refusals.slice(0, MOST_REFUSALS);
  const more = refusals.length - visible.length;
  return (
    <ul>
      {visible.map(({ path, reason }) => (
        <li key={`${path} ${reason}`}>
          {path && <code>{shortPath(path)}</code>} {shortSentence(reason)}
        </li>
      ))}
      {more > 0 && <li>{CARDS.andMore(more)}</li>}
    </ul>
  );
}

/** The reason why the engine stopped, shown before the sentence about saved work. */
const STOPPED: Record<Trap["why"], string> = {
  broke: CARDS.broke,
  ended: CARDS.ended,
  silent: CARDS.silent,
};

/** The engine stopped, or seems to have stopped. */
export function TrapCard({ trap }: { trap: Trap }) {
  const workbench = useWorkbench();
  const { message, position, why } = trap;
  const step = position?.step ?? null;
  // After a trap, goes back before the step that caused it. If the worker ended in another way, no
  // step is known to be the cause.
  const back = why === "broke" ? 1 : 0;
  const title = why === "silent" ? CARDS.engineDoesNotRespond : CARDS.engineStopped;
  return (
    <div className="card" role="alertdialog" aria-label={title}>
      <h2>
        {title}
        {step === null || why === "silent" ? "" : CARDS.after(step)}
      </h2>
      <p>
        <code>{message}</code>
      </p>
      <p className="else">{CARDS.kept(STOPPED[why])}</p>
      <div className="actions">
        <button type="button" className="btn solid" onClick={() => workbench.restart()}>
          {step === null ? CARDS.restartAtLastPosition : CARDS.restartAt(Math.max(0, step - back))}
        </button>
      </div>
    </div>
  );
}

/** The engine cannot run in this browser, or did not load. */
export function UnavailableCard({ message }: { message: string }) {
  const isMissing = typeof WebAssembly === "undefined";
  const title = isMissing ? CARDS.thisBrowserHasNoWebassembly : CARDS.engineDidNotLoad;
  return (
    <div className="card" role="alertdialog" aria-label={title}>
      <h2>{title}</h2>
      {isMissing ? <p>{CARDS.needsWebAssembly}</p> : <p>{CARDS.fileMissing}</p>}
      {!isMissing && (
        <p className="else">
          <RichText text={CARDS.browserReports} parts={{ message: <code>{message}</code> }} />
        </p>
      )}
      <p className="else">{CARDS.yourDraftIsKept}</p>
      <div className="actions">
        <button type="button" className="btn solid" onClick={() => location.reload()}>
          {CARDS.reload}
        </button>
      </div>
    </div>
  );
}
