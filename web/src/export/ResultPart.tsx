import { useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { type Figure, Reproduction, type RunResult } from "../app/reproduction";
import type { Session } from "../app/store";
import { engineBuild } from "../engine/build";
import { count } from "../engine/format";
import { foundationsOf } from "../engine/rests-on";
import type { Position } from "../engine/types";
import { mayBeLink } from "../link/link";
import { urlOf } from "../link/router";
import type { LinkResult } from "../link/schema";
import { saveText } from "../ui/save";
import { type Proof, proofHtml, proofJson } from "./evidence";
import { RESULT } from "./result-words";
import "./result.css";

/**
 * The default figures of a result, in addition to the counters on the timeline, if they are not 0.
 */
const USUAL = [
  "pgfault",
  "pgmajfault",
  "allocstall",
  "pgscan_kswapd",
  "pgscan_direct",
  "pgsteal_kswapd",
  "pgsteal_direct",
  "pageoutrun",
  "pswpin",
  "pswpout",
];
/** The maximum number of figures in a link. */
const MOST_FIGURES = 32;

/** Computing the result of the whole run. */
type Run =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly position: Position | null; readonly abort: () => void }
  | { readonly kind: "failed"; readonly message: string };

/** The result that the link carries: adds one, chooses its figures, removes it, saves it as a file. */
export function ResultPart({ session }: { session: Session }) {
  const result = useWorkbenchState((state) => state.result);
  const [known, setKnown] = useState<readonly Figure[]>([]);
  return (
    <section className="result-part" aria-labelledby="result-part">
      <h3 id="result-part">{RESULT.title}</h3>
      <p className="cap">{RESULT.about}</p>
      {result ? (
        <Carried result={result} known={known} />
      ) : (
        <Add session={session} setKnown={setKnown} />
      )}
      <Files session={session} />
    </section>
  );
}

function Add({
  session,
  setKnown,
}: {
  session: Session;
  setKnown: (figures: readonly Figure[]) => void;
}) {
  const workbench = useWorkbench();
  const tracks = useWorkbenchState((state) => state.tracks);
  const [reproduction] = useState(() => new Reproduction());
  const [run, setRun] = useState<Run>({ kind: "idle" });
  useEffect(() => () => reproduction.dispose(), [reproduction]);
  const add = (result: RunResult) => {
    setKnown(result.figures);
    workbench.keep({ result: { ...result, figures: firstOf(result.figures, tracks) } });
    setRun({ kind: "idle" });
  };
  const fail = (error: unknown) =>
    setRun({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  const here = async () => {
    const answer = await workbench.ask({ kind: "evidence" });
    const { position, hash, counters } = answer;
    const engine = versionOf(workbench);
    add({ ...position, hash, engine, build: engineBuild, figures: counters });
  };
  const end = async () => {
    const abort = new AbortController();
    const show = (position: Position | null) =>
      setRun({ kind: "running", position, abort: () => abort.abort() });
    show(null);
    try {
      const { signal } = abort;
      add(
        await reproduction.compute(session.experiment, { ended: true }, { signal, progress: show }),
      );
    } catch (error) {
      if (abort.signal.aborted) setRun({ kind: "idle" });
      else fail(error);
    }
  };
  if (run.kind === "running") {
    return (
      <p className="result-run">
        <span role="status">{RESULT.running(run.position)}</span>
        <button type="button" className="btn line" onClick={run.abort}>
          {RESULT.cancel}
        </button>
      </p>
    );
  }
  return (
    <>
      <div className="result-acts">
        <button type="button" className="btn line" onClick={() => void here().catch(fail)}>
          {RESULT.addHere}
        </button>
        <button type="button" className="btn line" onClick={() => void end()}>
          {RESULT.addEnd}
        </button>
      </div>
      {run.kind === "failed" && <p role="alert">{RESULT.failed(run.message)}</p>}
    </>
  );
}

const versionOf = ({ store }: ReturnType<typeof useWorkbench>): string => {
  const { engine } = store.getState();
  return engine.kind === "ready" ? engine.version : "";
};

/** The counters on the timeline and the default figures, if they are not 0. */
function firstOf(all: readonly Figure[], tracks: readonly string[]): [string, number][] {
  const wanted = [...new Set([...tracks, ...USUAL])];
  return wanted
    .flatMap((name): [string, number][] => {
      const found = all.find(([each]) => each === name);
      return found && (found[1] !== 0 || tracks.includes(name)) ? [[found[0], found[1]]] : [];
    })
    .slice(0, MOST_FIGURES);
}

function Carried({ result, known }: { result: LinkResult; known: readonly Figure[] }) {
  const workbench = useWorkbench();
  const { figures } = result;
  const chosen = new Set(figures.map(([name]) => name));
  // Unselected figures are known only right after the run.
  const offered = known.filter(([name, value]) => value !== 0 || chosen.has(name));
  const toggle = (figure: Figure) => {
    const rest = figures.filter(([name]) => name !== figure[0]);
    const next = rest.length < figures.length ? rest : [...rest, [...figure] as [string, number]];
    workbench.keep({ result: { ...result, figures: next.slice(0, MOST_FIGURES) } });
  };
  return (
    <>
      <p role="status">{RESULT.summary(result.ended, result.step, figures.length)}</p>
      <p>
        {RESULT.hash} <code>{result.hash}</code>
      </p>
      <details className="result-figures">
        <summary>{RESULT.figures}</summary>
        <p className="cap">{RESULT.most(MOST_FIGURES)}</p>
        <ul>
          {(offered.length > 0 ? offered : figures).map((figure) => (
            <li key={figure[0]}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.has(figure[0])}
                  onChange={() => toggle(figure)}
                />{" "}
                {figure[0]} <b>{count(figure[1])}</b>
              </label>
            </li>
          ))}
        </ul>
      </details>
      <div className="result-acts">
        <button type="button" className="btn line" onClick={() => workbench.keep({ result: null })}>
          {RESULT.remove}
        </button>
      </div>
    </>
  );
}

/** The result at this moment as a file. */
function Files({ session }: { session: Session }) {
  const workbench = useWorkbench();
  const [said, setSaid] = useState("");
  const save = async (kind: "json" | "html") => {
    try {
      const proof = await proofOf(workbench, session);
      const name = `mmscope-result-step-${proof.evidence.position.step}.${kind}`;
      const text = kind === "json" ? proofJson([proof]) : proofHtml(proof.title, [proof]);
      saveText(text, name, kind === "json" ? "application/json" : "text/html");
      setSaid(RESULT.saved(name));
    } catch {
      setSaid(RESULT.notSaved);
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box
    <div className="keep-row" role="group" aria-label={RESULT.file}>
      <span>{RESULT.file}</span>
      <div className="does">
        <button type="button" className="btn line" onClick={() => void save("json")}>
          {RESULT.json}
        </button>
        <button type="button" className="btn line" onClick={() => void save("html")}>
          {RESULT.html}
        </button>
        <span role="status" className="cap">
          {said || RESULT.fileAbout}
        </span>
      </div>
    </div>
  );
}

/** The result at the moment at which the machine is at rest. */
async function proofOf(
  workbench: ReturnType<typeof useWorkbench>,
  session: Session,
): Promise<Proof> {
  const x = (await workbench.saving.now()) ?? workbench.saving.pack();
  const { kind: _, restsOn, ...evidence } = await workbench.ask({ kind: "evidence" });
  const { engine, title } = workbench.store.getState();
  if (engine.kind !== "ready") throw new Error("The engine is not ready.");
  const address = x === null ? null : urlOf({ page: "workbench", x });
  return {
    title: title || session.info.title,
    version: engine.version,
    build: engineBuild,
    link: address !== null && x !== null && mayBeLink(address, x) ? address : null,
    experiment: session.experiment,
    evidence,
    foundations: foundationsOf(engine.catalog, session.info.kernel, restsOn),
  };
}
