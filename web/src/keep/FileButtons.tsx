import { useRef, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { saveText } from "../ui/save";
import { fileName, writeMoment } from "./file";
import { openFile, type TakeIn } from "./open-file";
import { FILE_BUTTONS } from "./words";

/** Opens the user's own file: a moment, an experiment or a library. */
export function OpenFileButton({
  label = FILE_BUTTONS.openFile,
  className = "btn line",
  takeIn,
}: {
  label?: string;
  className?: string;
  /** Imports a library file, if the page shows a library. */
  takeIn?: TakeIn;
}) {
  const workbench = useWorkbench();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className={className} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) void openFile(workbench, file, takeIn);
          // Lets the user choose the same file again after correcting it.
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

/** Saves the present moment as a human-readable file that can be opened again. */
export function SaveFileButton() {
  const workbench = useWorkbench();
  const isAtRest = useWorkbenchState((state) => state.packed !== null);
  const [message, setMessage] = useState("");
  const save = async () => {
    const link = await workbench.saving.rest();
    const { engine, title, session } = workbench.store.getState();
    if (engine.kind !== "ready" || !session || !link) return;
    const { experiment, workload } = session.info;
    const name = fileName(title || experiment || workload);
    saveText(writeMoment(link, engine.presets), name, "application/json");
    setMessage(FILE_BUTTONS.savedAs(name));
  };
  return (
    <>
      <button type="button" className="btn line" disabled={!isAtRest} onClick={() => void save()}>
        {FILE_BUTTONS.saveAsFile}
      </button>
      <span role="status" className="cap">
        {message}
      </span>
    </>
  );
}
