import { useEffect, useState } from "react";
import { PROC_FILES, type ProcFile } from "../engine/protocol";
import { CopyButton } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { useWorkbench, useWorkbenchState } from "../workbench/context";
import { positionWords } from "../workbench/goals";

/** The files this kernel would print at this moment. */
export function ProcDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  const kernel = useWorkbenchState((state) => state.session?.info.kernel ?? "");
  const [file, setFile] = useState<ProcFile>("zoneinfo");
  const [text, setText] = useState("");
  const step = frame?.view.position.step;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the files change with the step
  useEffect(() => {
    let isWanted = true;
    void workbench.ask({ kind: "procfs", file }).then((answer) => isWanted && setText(answer.text));
    return () => {
      isWanted = false;
    };
  }, [workbench, file, step]);
  return (
    <Dialog title="The files of /proc" close={close} wide>
      <p>
        As kernel {kernel} would print them{frame && <> at {positionWords(frame)}</>}.
      </p>
      <div className="seg">
        {PROC_FILES.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === file}
            onClick={() => setFile(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <section
        className="proc"
        aria-label={`/proc/${file}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
        tabIndex={0}
      >
        <pre id="proc-text">{text}</pre>
      </section>
      <CopyButton text={text} source="proc-text" label={`Copy ${file}`} />
    </Dialog>
  );
}
