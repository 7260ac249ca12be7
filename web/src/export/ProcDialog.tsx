import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { positionWords } from "../app/goals";
import { PROC_FILES, type ProcFile } from "../engine/protocol";
import { CopyButton } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { RichText } from "../ui/rich-text";
import { PROC_DIALOG } from "./words";

/** The part of the engine that prints these files is downloaded on first use. */
type FileText =
  | { kind: "loading" }
  | { kind: "text"; text: string }
  | { kind: "failed"; message: string };

/** Shown for a file that the kernel does not have. */
const ABSENT = PROC_DIALOG.absent;

/** The path of a file in the kernel. */
function pathOf(file: ProcFile): string {
  if (file.endsWith("_index")) return `/sys/kernel/debug/extfrag/${file}`;
  if (file.startsWith("lru_gen/")) return `/sys/kernel/mm/${file}`;
  return file.startsWith("lru_gen") ? `/sys/kernel/debug/${file}` : `/proc/${file}`;
}

/** The files that this kernel would print at this moment. */
export function ProcDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  const kernel = useWorkbenchState((state) => state.session?.info.kernel ?? "");
  const [file, setFile] = useState<ProcFile>("zoneinfo");
  const [content, setContent] = useState<FileText>({ kind: "loading" });
  const [attempt, setAttempt] = useState(0);
  const step = frame?.view.position.step;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the files change with the step, and a failed download is tried again on demand
  useEffect(() => {
    let isCurrent = true;
    const show = (next: FileText) => isCurrent && setContent(next);
    workbench.ask({ kind: "procfs", file }).then(
      ({ text }) => show({ kind: "text", text }),
      ({ message }: Error) => show({ kind: "failed", message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [workbench, file, step, attempt]);
  const text = content.kind === "text" ? content.text : "";
  return (
    <Dialog title={PROC_DIALOG.title} close={close} wide>
      <p>
        <RichText
          text={PROC_DIALOG.about(kernel)}
          parts={{
            at: frame && (
              <>
                {" "}
                <RichText
                  text={PROC_DIALOG.at}
                  parts={{ position: <span className="unbroken">{positionWords(frame)}</span> }}
                />
              </>
            ),
          }}
        />
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
        {content.kind === "failed" ? (
          <p role="alert">
            {PROC_DIALOG.notLoaded(content.message)}{" "}
            <button type="button" className="btn" onClick={() => setAttempt(attempt + 1)}>
              {PROC_DIALOG.tryAgain}
            </button>
          </p>
        ) : (
          <pre id="proc-text" aria-busy={content.kind === "loading"}>
            {content.kind === "loading" ? PROC_DIALOG.loading : text || ABSENT}
          </pre>
        )}
      </section>
      <CopyButton text={text} source="proc-text" label={PROC_DIALOG.copy(file)} />
    </Dialog>
  );
}
