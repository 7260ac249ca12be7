import { useState } from "react";
import { useWorkbench } from "../app/context";
import type { Told } from "../engine/types";
import { saveText } from "../ui/save";
import { chromeTrace, csv, json } from "./formats";
import { ftraceJson } from "./ftrace";

/** Saves the events that are shown, in formats of other programs. */
export function LogExports({
  events,
  isEmpty,
  isEverything,
}: {
  events: () => Told[];
  isEmpty: boolean;
  /** No search or filter leaves out any event. */
  isEverything: boolean;
}) {
  const workbench = useWorkbench();
  const [said, setSaid] = useState("");
  const { session } = workbench.store.getState();
  if (!session) return null;
  const { info, timeline } = session;
  const base = `mmscope-${info.experiment || info.workload}-${info.kernel}-events`;
  const save = (text: string, name: string, type: string) => {
    saveText(text, name, type);
    setSaid(`Saved ${name}.`);
  };
  const trace = () => {
    const zones = session.frame?.view.zones.map(({ key }) => key) ?? [];
    const tasks = new Map(session.frame?.view.tasks.map((task) => [task.id, task]));
    const title = `mmscope: ${info.title}`;
    return chromeTrace(events(), { title, zones, timeline, tasks, isEverything });
  };
  const ftrace = async (then: (text: string) => void | Promise<void>, forScripts = false) => {
    const events_json = ftraceJson(events(), info, forScripts);
    try {
      const answer = await workbench.ask({ kind: "ftrace", kernel: info.kernel, events_json });
      await then(answer.text);
    } catch (error) {
      setSaid(
        `The ftrace text could not be made: ${error instanceof Error ? error.message : error}.`,
      );
    }
  };
  const copy = (text: string) =>
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied as ftrace text."),
      () => save(text, `${base}.ftrace.txt`, "text/plain"),
    );
  const button = (title: string, does: () => void, about: string) => (
    <button
      type="button"
      className="btn line"
      disabled={isEmpty}
      title={about}
      onClick={() => does()}
    >
      {title}
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form, and this is not one
    <div className="log-exports" role="group" aria-label="Save what is shown">
      {button("CSV", () => save(csv(events()), `${base}.csv`, "text/csv"), "As a table")}
      {button(
        "JSON",
        () => save(json(events()), `${base}.json`, "application/json"),
        "As JSON objects",
      )}
      {button(
        "Trace",
        () => save(trace(), `${base}.trace.json`, "application/json"),
        "Chrome JSON trace with a lane per task and a counter per zone. Perfetto opens it.",
      )}
      {button(
        "Copy ftrace",
        () => void ftrace(copy),
        "Events in the format of the kernel's trace file. Decisions are left out because the kernel does not trace them.",
      )}
      {button(
        "ftrace for scripts",
        () => void ftrace((text) => save(text, `${base}.script.ftrace.txt`, "text/plain"), true),
        "The same as a file without the flags column, which the kernel's trace-pagealloc-postprocess.pl cannot read. Its first lines list what the scripts do not find.",
      )}
      <span role="status" className="sr">
        {said}
      </span>
    </div>
  );
}
