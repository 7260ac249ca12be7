import { useState } from "react";
import { useWorkbench } from "../app/context";
import { useRunViewModel } from "../app/run-view-model";
import { canReplay } from "../engine/run";
import type { Info, LogEntry } from "../engine/types";
import { saveText } from "../ui/save";
import { chromeTrace, csv, json } from "./formats";
import { ftraceJson } from "./ftrace";
import { LOG_EXPORTS } from "./words";

/** Saves the events that are shown, in formats of other programs. */
export function LogExports({
  events,
  isEmpty,
  isEverything,
}: {
  events: () => LogEntry[];
  isEmpty: boolean;
  /** Whether no search or filter leaves out events. */
  isEverything: boolean;
}) {
  const { session } = useRunViewModel().store.getState();
  const [message, setMessage] = useState("");
  if (!session) return null;
  const { info, timeline } = session;
  const base = `mmscope-${info.experiment || info.workload}-${info.kernel}-events`;
  const save = (text: string, name: string, type: string) => {
    saveText(text, name, type);
    setMessage(`Saved ${name}.`);
  };
  const trace = () => {
    const zones = session.frame?.view.zones.map(({ key }) => key) ?? [];
    const tasks = new Map(session.frame?.view.tasks.map((task) => [task.id, task]));
    const title = `mmscope: ${info.title}`;
    return chromeTrace(events(), { title, zones, timeline, tasks, isEverything });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form, and this is not one
    <div className="log-exports" role="group" aria-label={LOG_EXPORTS.group}>
      <ExportButton
        isEmpty={isEmpty}
        title={LOG_EXPORTS.csv}
        does={() => save(csv(events()), `${base}.csv`, "text/csv")}
        about={LOG_EXPORTS.csvHelp}
      />
      <ExportButton
        isEmpty={isEmpty}
        title={LOG_EXPORTS.json}
        does={() => save(json(events()), `${base}.json`, "application/json")}
        about={LOG_EXPORTS.jsonHelp}
      />
      <ExportButton
        isEmpty={isEmpty}
        title={LOG_EXPORTS.trace}
        does={() => save(trace(), `${base}.trace.json`, "application/json")}
        about={LOG_EXPORTS.traceHelp}
      />
      {canReplay(session) && <FtraceButtons {...{ events, isEmpty, base, save, setMessage }} />}
      <span role="status" className="sr">
        {message}
      </span>
    </div>
  );
}

/** Events in the format of the kernel's trace file, which the engine prints. */
function FtraceButtons({
  events,
  isEmpty,
  base,
  save,
  setMessage,
}: {
  events: () => LogEntry[];
  isEmpty: boolean;
  base: string;
  save: (text: string, name: string, type: string) => void;
  setMessage: (words: string) => void;
}) {
  const workbench = useWorkbench();
  const ftrace = async (then: (text: string) => void | Promise<void>, forScripts = false) => {
    const info: Info | undefined = workbench.store.getState().session?.info;
    if (!info) return;
    const events_json = ftraceJson(events(), info, forScripts);
    try {
      const answer = await workbench.ask({ kind: "ftrace", kernel: info.kernel, events_json });
      await then(answer.text);
    } catch (error) {
      setMessage(LOG_EXPORTS.ftraceFailed(error instanceof Error ? error.message : error));
    }
  };
  const copy = (text: string) =>
    navigator.clipboard.writeText(text).then(
      () => setMessage(LOG_EXPORTS.copied),
      () => save(text, `${base}.ftrace.txt`, "text/plain"),
    );
  return (
    <>
      <ExportButton
        isEmpty={isEmpty}
        title={LOG_EXPORTS.copyFtrace}
        does={() => void ftrace(copy)}
        about={LOG_EXPORTS.copyFtraceHelp}
      />
      <ExportButton
        isEmpty={isEmpty}
        title={LOG_EXPORTS.ftraceForScripts}
        does={() =>
          void ftrace((text) => save(text, `${base}.script.ftrace.txt`, "text/plain"), true)
        }
        about={LOG_EXPORTS.ftraceForScriptsHelp}
      />
    </>
  );
}

function ExportButton({
  title,
  does,
  about,
  isEmpty,
}: {
  title: string;
  does: () => void;
  about: string;
  isEmpty: boolean;
}) {
  return (
    <button type="button" className="btn line" disabled={isEmpty} title={about} onClick={does}>
      {title}
    </button>
  );
}
