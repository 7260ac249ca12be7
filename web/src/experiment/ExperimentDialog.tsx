import "./forms/forms.css";
import { useEffect, useRef, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Goal } from "../engine/protocol";
import type { Refusal } from "../engine/types";
import { OpenFileButton } from "../keep/FileButtons";
import { actsWhen } from "../ui/acts";
import { Dialog } from "../ui/dialog";
import { AHEAD_NS, disturbed } from "./disturb";
import { ExperimentFields } from "./ExperimentFields";
import { ExperimentText } from "./ExperimentText";
import { type Edits, useEdits } from "./edits";
import { changedTunables, type Draft, readDraft, refusalsOf } from "./experiment-draft";
import { fieldPaths } from "./forms/field-paths";
import { refusalsByField } from "./forms/field-refusals";
import { described, useParts } from "./forms/parts";
import type { Tree } from "./forms/tree";
import { SHRINK } from "./shrink/words";
import { keepUnfinished, unfinishedOf } from "./unfinished";
import { EXPERIMENT_DIALOG } from "./words";

type Face = "fields" | "json";

/** The experiment's machine and workload, and the fields at which their errors can be shown. */
function useForms(draft: Draft | null, refusals: readonly Refusal[]) {
  const { parts, failure } = useParts();
  const engine = useWorkbenchState((state) => state.engine);
  const tunables = engine.kind === "ready" ? engine.catalog.tunables : [];
  const names = tunables.find(([id]) => id === draft?.kernel)?.[1].map(({ name }) => name) ?? [];
  const machine = described(draft?.machine, parts?.machines);
  const workload = described(draft?.workload, parts?.workloads);
  const places = fieldPaths((draft ?? {}) as Tree, machine, workload, names);
  return {
    parts,
    failure,
    machine,
    workload,
    ...refusalsByField(refusals, (path) => places.has(path)),
  };
}

/** The experiment as fields with explanations, and as JSON. */
export function ExperimentDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const opened = useWorkbenchState((state) => state.session?.experiment ?? "{}");
  const { edits, isResumed, isKept: isStored, forget } = useStoredEdits(opened);
  const { text } = edits;
  const [face, setFace] = useState<Face>("fields");
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [isBusy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const draft = readDraft(text);
  const forms = useForms(draft, refusals);
  const isElsewhere = forms.rest.length > 0;
  useEffect(() => {
    if (refusals.length === 0) return;
    if (isElsewhere) setFace("json");
    else box.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals, isElsewhere]);
  const change = (next: string, where?: string) => {
    edits.change(next, where);
    setRefusals([]);
  };
  const open = async (json: string, goal: Goal) => {
    setBusy(true);
    const found = await workbench.edit(json, goal);
    setBusy(false);
    if (found.length > 0) return setRefusals(found);
    forget();
    close();
  };
  const travel = (by: "undo" | "redo") => () => {
    setRefusals([]);
    edits[by]();
  };
  useUndoKeys(travel);
  return (
    <Dialog title={EXPERIMENT_DIALOG.experiment} close={close} wide>
      <div ref={box} className="experiment">
        <div className="seg">
          {(["fields", "json"] as const).map((id) => (
            <button
              key={id}
              type="button"
              aria-pressed={face === id}
              disabled={id === "fields" && draft === null}
              onClick={() => setFace(id)}
            >
              {id === "fields" ? EXPERIMENT_DIALOG.fields : EXPERIMENT_DIALOG.json}
            </button>
          ))}
        </div>
        {face === "fields" && draft ? (
          <ExperimentFields
            draft={draft}
            {...forms}
            change={(next: Draft, where) => change(JSON.stringify(next, null, 2), where)}
          />
        ) : (
          <ExperimentText
            text={text}
            refusals={draft ? refusals : refusalsOf(text)}
            change={(next) => change(next, "the JSON")}
          />
        )}
        {isResumed && edits.past.length > 0 && (
          <p className="answer">{EXPERIMENT_DIALOG.earlierEdits}</p>
        )}
        {!isStored && (
          <p role="status" className="answer">
            {EXPERIMENT_DIALOG.notKept}
          </p>
        )}
        <Actions
          text={text}
          opened={opened}
          draft={draft}
          isBusy={isBusy}
          open={(json, goal) => void open(json, goal)}
          edits={edits.past.length + edits.future.length > 0 && { ...edits, travel }}
        />
      </div>
    </Dialog>
  );
}

/**
 * Edits of an experiment, which survive the dialog and a reload until they are opened or undone.
 */
function useStoredEdits(opened: string) {
  const begin = () => JSON.stringify(JSON.parse(opened), null, 2);
  // The experiment that is edited; another may open behind the dialog.
  const [of] = useState(opened);
  const edits = useEdits(begin, () => unfinishedOf(of));
  const [isResumed] = useState(() => unfinishedOf(of) !== null);
  const [isStored, setStored] = useState(true);
  const isOpen = useRef(false);
  const { text } = edits;
  const isEdited = edits.past.length > 0;
  useEffect(() => {
    if (isOpen.current) return;
    setStored(keepUnfinished(of, isEdited ? text : null) === "kept" || !isEdited);
  }, [of, text, isEdited]);
  const forget = () => {
    isOpen.current = true;
    keepUnfinished(of, null);
  };
  return { edits, isResumed, isKept: isStored, forget };
}

/**
 * Handles Ctrl+Z and Ctrl+Shift+Z, except in a text field, which has its own undo. The keys also
 * work after a button was disabled and lost the focus.
 */
function useUndoKeys(travel: (by: "undo" | "redo") => () => void) {
  const latest = useRef(travel);
  latest.current = travel;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isText = event.target instanceof Element && event.target.matches(TEXTS);
      const isChord = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
      if (!isChord || isText) return;
      event.preventDefault();
      latest.current(event.shiftKey ? "redo" : "undo")();
    };
    // This handler runs before the page's own shortcuts, which undo the last experiment.
    addEventListener("keydown", onKeyDown, true);
    return () => removeEventListener("keydown", onKeyDown, true);
  }, []);
}
const TEXTS = "input:not([type=checkbox]), textarea";

/** Actions for the edited experiment. */
function Actions({
  text,
  opened,
  draft,
  isBusy,
  open,
  edits,
}: {
  text: string;
  opened: string;
  draft: Draft | null;
  isBusy: boolean;
  open: (json: string, goal: Goal) => void;
  /** Whether there are edits to undo or redo. */
  edits:
    | (Pick<Edits, "past" | "future"> & { readonly travel: (by: "undo" | "redo") => () => void })
    | false;
}) {
  const workbench = useWorkbench();
  const step = useWorkbenchState((s) => s.session?.frame?.view.position.step ?? 0);
  const now_ns = useWorkbenchState((s) => s.session?.frame?.view.position.time_ns ?? 0);
  const before = readDraft(opened);
  const changed = before && draft ? changedTunables(before, draft) : null;
  const mayFork = changed !== null && changed.size > 0 && now_ns > 0;
  return (
    <div className="actions">
      <button
        type="button"
        className="btn solid"
        disabled={isBusy || draft === null}
        onClick={() => open(text, { kind: "start" })}
      >
        {EXPERIMENT_DIALOG.openFromStart}
      </button>
      {mayFork && (
        <button
          type="button"
          className="btn line"
          disabled={isBusy}
          onClick={() =>
            open(disturbed(opened, { set: Object.fromEntries(changed) }, now_ns), {
              kind: "step",
              step,
            })
          }
        >
          {EXPERIMENT_DIALOG.setAtS(now_ns + AHEAD_NS)}
        </button>
      )}
      {edits ? (
        <>
          <button
            type="button"
            className="btn"
            {...actsWhen(edits.past.length > 0, edits.travel("undo"))}
          >
            {EXPERIMENT_DIALOG.undoThisEdit}
          </button>
          <button
            type="button"
            className="btn"
            {...actsWhen(edits.future.length > 0, edits.travel("redo"))}
          >
            {EXPERIMENT_DIALOG.redo}
          </button>
        </>
      ) : (
        <History />
      )}
      <OpenFileButton className="btn" />
      <button type="button" className="btn" onClick={() => workbench.showDialog("shrink")}>
        {SHRINK.openDialog}
      </button>
    </div>
  );
}

/** Undo and redo between experiments, while this one is unedited. */
function History() {
  const workbench = useWorkbench();
  const past = useWorkbenchState((state) => state.past.length);
  const future = useWorkbenchState((state) => state.future.length);
  return (
    <>
      <button
        type="button"
        className="btn"
        disabled={past === 0}
        onClick={() => {
          workbench.closeDialog();
          workbench.changes.undo();
        }}
      >
        {EXPERIMENT_DIALOG.undoLastChange}
      </button>
      <button
        type="button"
        className="btn"
        disabled={future === 0}
        onClick={() => {
          workbench.closeDialog();
          workbench.changes.redo();
        }}
      >
        {EXPERIMENT_DIALOG.redo}
      </button>
    </>
  );
}
