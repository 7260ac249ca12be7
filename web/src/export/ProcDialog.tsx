import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { positionWords } from "../app/goals";
import { PROC_FILES, type ProcFile } from "../engine/protocol";
import { CopyButton } from "../ui/copy";
import { Dialog } from "../ui/dialog";

/** The part of the engine that prints these files is downloaded on first use. */
type Shown =
  | { kind: "loading" }
  | { kind: "text"; text: string }
  | { kind: "failed"; message: string };

/** Shown for a file that the kernel does not have. */
const ABSENT = "No such file: this kernel is built without compaction.";

/** The path of a file in the kernel. */
const pathOf = (file: ProcFile) =>
  file.endsWith("_index") ? `/sys/kernel/debug/extfrag/${file}` : `/proc/${file}`;

/** The files that this kernel would print at this moment. */
export function ProcDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  const kernel = useWorkbenchState((state) => state.session?.info.kernel ?? "");
  const [file, setFile] = useState<ProcFile>("zoneinfo");
  const [shown, setShown] = useState<Shown>({ kind: "loading" });
  const [attempt, setAttempt] = useState(0);
  const step = frame?.view.position.step;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the files change with the step, and a failed download is tried again on demand
  useEffect(() => {
    let isWanted = true;
    const show = (next: Shown) => isWanted && setShown(next);
    workbench.ask({ kind: "procfs", file }).then(
      ({ text }) => show({ kind: "text", text }),
      ({ message }: Error) => show({ kind: "failed", message }),
    );
    return () => {
      isWanted = false;
    };
  }, [workbench, file, step, attempt]);
  const text = shown.kind === "text" ? shown.text : "";
  return (
    <Dialog title="The files of /proc" close={close} wide>
      <p>
        As kernel {kernel} would print them
        {frame && (
          <>
            {" "}
            at <span className="unbroken">{positionWords(frame)}</span>
          </>
        )}
        .
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
        aria-label={pathOf(file)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
        tabIndex={0}
      >
        {shown.kind === "failed" ? (
          <p role="alert">
            The code that prints these files could not be loaded: {shown.message}.{" "}
            <button type="button" className="btn" onClick={() => setAttempt(attempt + 1)}>
              Try again
            </button>
          </p>
        ) : (
          <pre id="proc-text" aria-busy={shown.kind === "loading"}>
            {shown.kind === "loading" ? "Loading …" : text || ABSENT}
          </pre>
        )}
      </section>
      <CopyButton text={text} source="proc-text" label={`Copy ${file}`} />
    </Dialog>
  );
}
