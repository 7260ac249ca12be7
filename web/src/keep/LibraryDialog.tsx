import "./keep.css";
import { useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Presets } from "../link/link";
import { writeFragment } from "../link/router";
import { Dialog } from "../ui/dialog";
import { RichText } from "../ui/rich-text";
import { saveText } from "../ui/save";
import type { Entry } from "./database";
import { OpenFileButton } from "./FileButtons";
import { writeLibrary } from "./file";
import { HISTORY } from "./history-words";
import { Library } from "./library";
import { MomentFields } from "./MomentFields";
import { MomentRow } from "./MomentRow";
import { LIBRARY_DIALOG } from "./words";

/** The moments that the user saved in this browser. */
export function LibraryDialog({ close }: { close: () => void }) {
  const presets = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.presets : null,
  );
  return (
    <Dialog title={LIBRARY_DIALOG.savedMoments} close={close} wide>
      {presets ? <Shelves presets={presets} /> : <p>{LIBRARY_DIALOG.engineHasNotLoadedYet}</p>}
    </Dialog>
  );
}

function useLibrary(presets: Presets): Library | null {
  const [library, setLibrary] = useState<Library | null>(null);
  useEffect(() => {
    const opened = new Library(presets);
    setLibrary(opened);
    return () => opened.dispose();
  }, [presets]);
  return library;
}

function Shelves({ presets }: { presets: Presets }) {
  const library = useLibrary(presets);
  return library && <Contents library={library} presets={presets} />;
}

function Contents({ library, presets }: { library: Library; presets: Presets }) {
  const { entries, fault } = useStore(library.store);
  const saved = entries?.filter(({ kind }) => kind === "saved") ?? [];
  const recent = entries?.filter(({ kind }) => kind === "recent") ?? [];
  return (
    <div className="shelves">
      <SaveHere library={library} />
      {fault !== null && <p role="alert">{fault}</p>}
      <section aria-labelledby="saved-heading">
        <h3 id="saved-heading">{LIBRARY_DIALOG.saved(saved.length)}</h3>
        {entries && saved.length === 0 && <p className="else">{LIBRARY_DIALOG.noneSaved}</p>}
        <Moments entries={saved} library={library} />
      </section>
      {recent.length > 0 && (
        <section aria-labelledby="recent-heading">
          <h3 id="recent-heading">{LIBRARY_DIALOG.recent}</h3>
          <p className="else">{LIBRARY_DIALOG.recentHelp}</p>
          <Moments entries={recent} library={library} />
        </section>
      )}
      <Results library={library} />
      <p className="else">
        <a href={writeFragment({ page: "history" })}>{HISTORY.title}</a>
        {HISTORY.about}
      </p>
      <Whole library={library} presets={presets} isEmpty={saved.length === 0} />
    </div>
  );
}

function Moments({ entries, library }: { entries: readonly Entry[]; library: Library }) {
  if (entries.length === 0) return null;
  return (
    <ul className="moments">
      {entries.map((entry) => (
        <MomentRow key={entry.id} entry={entry} library={library} />
      ))}
    </ul>
  );
}

/** Saved results of reports, below the moments. */
function Results({ library }: { library: Library }) {
  const runs = useStore(library.store, (state) => state.runs);
  if (runs.length === 0) return null;
  return (
    <section aria-labelledby="results-heading">
      <h3 id="results-heading">{LIBRARY_DIALOG.resultsOfReports(runs.length)}</h3>
      <p className="else">{LIBRARY_DIALOG.resultsHelp}</p>
      <ul className="results">
        {runs.map((run) => (
          <li key={run.id}>
            <span>
              <RichText
                text={LIBRARY_DIALOG.result(run.kernel)}
                parts={{ experiment: <b>{run.experiment}</b> }}
              />
              <small>{DAY.format(run.run_ms)}</small>
            </span>
            <button
              type="button"
              className="btn line tiny"
              aria-label={LIBRARY_DIALOG.forgetLabel(run.experiment, run.kernel)}
              onClick={() => void library.forget([run])}
            >
              {LIBRARY_DIALOG.forget}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Saves the open moment, if there is one, and reports the result. */
function SaveHere({ library }: { library: Library }) {
  const workbench = useWorkbench();
  const hasSession = useWorkbenchState((state) => state.session !== null);
  const isAtRest = useWorkbenchState((state) => state.packed !== null);
  useEffect(() => workbench.transport.pause(), [workbench]);
  const save = async () => {
    // Waits for the draft, because the user may have just stepped.
    const link = await workbench.saving.rest();
    if (link) await library.save(link);
  };
  return (
    <>
      {hasSession && <MomentFields />}
      <div className="shelves-save">
        {hasSession && (
          <button
            type="button"
            className="btn solid"
            data-focus
            disabled={!isAtRest}
            onClick={() => void save()}
          >
            {LIBRARY_DIALOG.saveThisMoment}
          </button>
        )}
        <Message library={library} />
      </div>
    </>
  );
}

/** The last action, with an undo button. */
function Message({ library }: { library: Library }) {
  const { message, deleted } = useStore(library.store);
  const undo = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The delete button has disappeared together with its row, so the focus must move.
    if (deleted.length > 0) undo.current?.focus();
  }, [deleted]);
  return (
    <div className="shelves-said">
      <p role="status">{message}</p>
      {deleted.length > 0 && (
        <button ref={undo} type="button" className="btn line" onClick={() => void library.undo()}>
          {LIBRARY_DIALOG.undo}
        </button>
      )}
    </div>
  );
}

/** Actions for the whole library. */
function Whole({
  library,
  presets,
  isEmpty,
}: {
  library: Library;
  presets: Presets;
  isEmpty: boolean;
}) {
  const entries = useStore(library.store, (state) => state.entries);
  const runs = useStore(library.store, (state) => state.runs);
  const [isAsking, setAsking] = useState(false);
  const all = entries?.length ?? 0;
  if (isAsking) {
    return (
      <div className="ask whole" role="alert">
        <p>{LIBRARY_DIALOG.eraseQuestion(eraseWords(all, runs.length))}</p>
        <button
          type="button"
          className="btn solid"
          onClick={() => {
            setAsking(false);
            void library.erase();
          }}
        >
          {LIBRARY_DIALOG.erase}
        </button>
        {/* biome-ignore lint/a11y/noAutofocus: the question takes the focus, at its harmless answer */}
        <button type="button" className="btn line" autoFocus onClick={() => setAsking(false)}>
          {LIBRARY_DIALOG.keepThem}
        </button>
      </div>
    );
  }
  return (
    <div className="actions whole">
      <button
        type="button"
        className="btn line"
        disabled={isEmpty}
        onClick={() =>
          saveText(
            writeLibrary(library.export(), presets),
            "mmscope-library.json",
            "application/json",
          )
        }
      >
        {LIBRARY_DIALOG.exportAll}
      </button>
      <OpenFileButton
        label={LIBRARY_DIALOG.importOrOpenFile}
        takeIn={(moments, faults) => library.merge(moments, faults)}
      />
      <button
        type="button"
        className="btn"
        disabled={all + runs.length === 0}
        onClick={() => setAsking(true)}
      >
        {LIBRARY_DIALOG.eraseEverything}
      </button>
    </div>
  );
}

/** "all 3 moments, saved and recent, and 2 results of reports". */
function eraseWords(moments: number, results: number): string {
  const first = moments === 1 ? LIBRARY_DIALOG.theMoment : LIBRARY_DIALOG.allMoments(moments);
  const second = results === 1 ? LIBRARY_DIALOG.oneResult : LIBRARY_DIALOG.results(results);
  if (results === 0) return LIBRARY_DIALOG.onlyMoments(first);
  return moments === 0 ? second : LIBRARY_DIALOG.momentsAnd(first, second);
}
