import { useState } from "react";
import { clock } from "../draw/format";
import type { Goal } from "../engine/protocol";
import type { Refusal } from "../engine/types";
import { OpenFileButton } from "../keep/FileButtons";
import { Dialog } from "../ui/dialog";
import { useWorkbench, useWorkbenchState } from "../workbench/context";
import { AHEAD_NS, disturbed } from "./disturb";
import { ExperimentFields } from "./ExperimentFields";
import { ExperimentText } from "./ExperimentText";
import { changedTunables, type Draft, readDraft } from "./experiment-draft";

type Face = "fields" | "json";

/** The experiment as fields with an explanation each, and as the JSON they stand for. */
export function ExperimentDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const opened = useWorkbenchState((state) => state.session?.experiment ?? "{}");
  const step = useWorkbenchState((s) => s.session?.frame?.view.position.step ?? 0);
  const now_ns = useWorkbenchState((s) => s.session?.frame?.view.position.time_ns ?? 0);
  const [text, setText] = useState(() => JSON.stringify(JSON.parse(opened), null, 2));
  const [face, setFace] = useState<Face>("fields");
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const [isBusy, setBusy] = useState(false);
  const draft = readDraft(text);
  const before = readDraft(opened);
  const change = (next: string) => {
    setText(next);
    setRefusals([]);
  };
  const open = async (json: string, goal: Goal) => {
    setBusy(true);
    const found = await workbench.edit(json, goal);
    setBusy(false);
    if (found.length === 0) return close();
    setRefusals(found);
    if (found.some(({ path }) => !isField(path))) setFace("json");
  };
  const changed = before && draft ? changedTunables(before, draft) : null;
  const mayFork = changed !== null && changed.size > 0 && now_ns > 0;
  return (
    <Dialog title="The experiment" close={close} wide>
      <div className="seg">
        {(["fields", "json"] as const).map((id) => (
          <button
            key={id}
            type="button"
            aria-pressed={face === id}
            disabled={id === "fields" && draft === null}
            onClick={() => setFace(id)}
          >
            {id === "fields" ? "Fields" : "JSON"}
          </button>
        ))}
      </div>
      {face === "fields" && draft ? (
        <ExperimentFields
          draft={draft}
          refusals={refusals}
          change={(next: Draft) => change(JSON.stringify(next, null, 2))}
        />
      ) : (
        <ExperimentText text={text} refusals={refusals} change={change} />
      )}
      <div className="actions">
        <button
          type="button"
          className="btn solid"
          disabled={isBusy || draft === null}
          onClick={() => void open(text, { kind: "start" })}
        >
          Open from the start
        </button>
        {mayFork && (
          <button
            type="button"
            className="btn line"
            disabled={isBusy}
            onClick={() =>
              void open(disturbed(opened, { set: Object.fromEntries(changed) }, now_ns), {
                kind: "step",
                step,
              })
            }
          >
            Set at {clock(now_ns + AHEAD_NS)} s, and go on from there
          </button>
        )}
        <History />
        <OpenFileButton className="btn" />
      </div>
    </Dialog>
  );
}

/** Fields the form shows; whatever else is refused is shown in the JSON. */
const isField = (path: string) =>
  /^(title|kernel|machine|workload|seed|length|tunables\..+)$/.test(path);

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
          workbench.store.setState({ dialog: null });
          workbench.undo();
        }}
      >
        Undo the last change
      </button>
      <button
        type="button"
        className="btn"
        disabled={future === 0}
        onClick={() => {
          workbench.store.setState({ dialog: null });
          workbench.redo();
        }}
      >
        Redo
      </button>
    </>
  );
}
