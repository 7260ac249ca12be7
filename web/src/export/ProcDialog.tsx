import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { positionWords } from "../app/goals";
import { GROUP_FILES, type GroupFile, PROC_FILES, type ProcFile } from "../engine/protocol";
import type { GroupView } from "../engine/types";
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
function pathOf(chosen: Chosen, groups: readonly GroupView[]): string {
  if (chosen.kind === "group-file") {
    const group = groups.find(({ index }) => index === chosen.group);
    return `/sys/fs/cgroup/${group?.path ?? ""}/${chosen.file}`;
  }
  const { file } = chosen;
  if (file.endsWith("_index")) return `/sys/kernel/debug/extfrag/${file}`;
  if (file.startsWith("lru_gen/")) return `/sys/kernel/mm/${file}`;
  return file.startsWith("lru_gen") ? `/sys/kernel/debug/${file}` : `/proc/${file}`;
}

/** A file of the machine, or of a memory cgroup. */
type Chosen =
  | { readonly kind: "procfs"; readonly file: ProcFile }
  | { readonly kind: "group-file"; readonly group: number; readonly file: GroupFile };

const FIRST: Chosen = { kind: "procfs", file: "zoneinfo" };
const NO_GROUPS: readonly GroupView[] = [];

/** The files that this kernel would print at this moment. */
export function ProcDialog({ close }: { close: () => void }) {
  const workbench = useWorkbench();
  const frame = useWorkbenchState((state) => state.session?.frame ?? null);
  const kernel = useWorkbenchState((state) => state.session?.info.kernel ?? "");
  const groups = useWorkbenchState((state) => state.session?.frame?.view.groups ?? NO_GROUPS);
  const [chosen, setChosen] = useState<Chosen>(FIRST);
  const [content, setContent] = useState<FileText>({ kind: "loading" });
  const [attempt, setAttempt] = useState(0);
  const step = frame?.view.position.step;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the files change with the step, and a failed download is tried again on demand
  useEffect(() => {
    let isCurrent = true;
    const show = (next: FileText) => isCurrent && setContent(next);
    workbench.ask(chosen).then(
      ({ text }) => show({ kind: "text", text }),
      ({ message }: Error) => show({ kind: "failed", message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [workbench, chosen, step, attempt]);
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
      <FileChoice groups={groups} chosen={chosen} choose={setChosen} />
      <section
        className="proc"
        aria-label={pathOf(chosen, groups)}
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
      <CopyButton text={text} source="proc-text" label={PROC_DIALOG.copy(chosen.file)} />
    </Dialog>
  );
}

/** Buttons for the files; with memory cgroups, first a choice between the machine and a cgroup. */
function FileChoice({
  groups,
  chosen,
  choose,
}: {
  groups: readonly GroupView[];
  chosen: Chosen;
  choose: (next: Chosen) => void;
}) {
  const of = (index: number): Chosen =>
    index === 0 ? FIRST : { kind: "group-file", group: index, file: "memory.stat" };
  const files: readonly Chosen[] =
    chosen.kind === "procfs"
      ? PROC_FILES.map((file) => ({ kind: "procfs", file }))
      : GROUP_FILES.map((file) => ({ ...chosen, file }));
  return (
    <>
      {groups.length > 0 && (
        <label className="proc-of">
          {PROC_DIALOG.filesOf}{" "}
          <select
            className="field"
            value={chosen.kind === "procfs" ? 0 : chosen.group}
            onChange={(event) => choose(of(Number(event.currentTarget.value)))}
          >
            <option value={0}>{PROC_DIALOG.machine}</option>
            {groups.map(({ index, path }) => (
              <option key={index} value={index}>
                {PROC_DIALOG.group(path)}
              </option>
            ))}
          </select>
        </label>
      )}
      <div className="seg">
        {files.map((one) => (
          <button
            key={one.file}
            type="button"
            aria-pressed={one.file === chosen.file}
            onClick={() => choose(one)}
          >
            {one.file}
          </button>
        ))}
      </div>
    </>
  );
}
