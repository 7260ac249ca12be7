import { type ReactNode, useEffect, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { type CalledFunction, type Foundations, foundationsOf } from "../engine/rests-on";
import { RESTS_ON } from "./rests-on-words";

type Shown =
  | { readonly kind: "loading" }
  | { readonly kind: "failed" }
  | { readonly kind: "shown"; readonly step: number; readonly foundations: Foundations };

/**
 * The functions that the run has called, the mechanisms of its kernel that the engine lacks, and
 * the constants.
 */
export function RestsOn({ kernel }: { kernel: string }) {
  const isMoving = useWorkbenchState(({ session }) => session?.frame?.mode.kind !== "paused");
  const step = useWorkbenchState(({ session }) => session?.frame?.view.position.step ?? 0);
  const shown = useFoundations(kernel, isMoving ? null : step);
  return (
    <section aria-labelledby="rests-on">
      <h3 className="truth-part" id="rests-on">
        {RESTS_ON.title}
      </h3>
      {shown.kind === "shown" ? (
        <>
          <p className="cap">{RESTS_ON.about(shown.step)}</p>
          {isMoving && <p className="cap">{RESTS_ON.moving}</p>}
          <Parts foundations={shown.foundations} />
        </>
      ) : (
        <p className="cap">
          {shown.kind === "failed"
            ? RESTS_ON.failed
            : isMoving
              ? RESTS_ON.moving
              : RESTS_ON.loading}
        </p>
      )}
    </section>
  );
}

/**
 * What the result of the run depends on at a step; while the machine moves, at the last step that
 * was read.
 */
function useFoundations(kernel: string, step: number | null): Shown {
  const workbench = useWorkbench();
  const [shown, setShown] = useState<Shown>({ kind: "loading" });
  useEffect(() => {
    if (step === null) return;
    let isWanted = true;
    workbench.ask({ kind: "evidence" }).then(
      ({ position, restsOn }) => {
        const { engine } = workbench.store.getState();
        if (!isWanted || engine.kind !== "ready") return;
        const foundations = foundationsOf(engine.catalog, kernel, restsOn);
        setShown({ kind: "shown", step: position.step, foundations });
      },
      () => isWanted && setShown({ kind: "failed" }),
    );
    return () => {
      isWanted = false;
    };
  }, [workbench, kernel, step]);
  return shown;
}

function Parts({ foundations: { functions, absent, costs } }: { foundations: Foundations }) {
  return (
    <>
      {(["mirrored", "simplified"] as const).map((fidelity) => (
        <Called
          key={fidelity}
          title={RESTS_ON.functions[fidelity]}
          functions={functions.filter((each) => each.fidelity === fidelity)}
        />
      ))}
      <Part title={RESTS_ON.absent} many={absent.length}>
        {absent.map(({ name, note }) => (
          <li key={name}>
            <b>{name}</b>
            {note && `: ${note}`}
          </li>
        ))}
      </Part>
      <Part title={RESTS_ON.costs} many={costs.length} about={RESTS_ON.costsAbout}>
        {costs.map(({ name, ns, about }) => (
          <li key={name}>
            <b>{name}</b> {RESTS_ON.ns(ns)}. {about}
          </li>
        ))}
      </Part>
    </>
  );
}

function Called({ title, functions }: { title: string; functions: readonly CalledFunction[] }) {
  return (
    <Part title={title} many={functions.length}>
      {functions.map(({ name, calls, note }) => (
        <li key={name}>
          <b>{name}</b> {RESTS_ON.calls(calls)}
          {note && `: ${note}`}
        </li>
      ))}
    </Part>
  );
}

function Part({
  title,
  many,
  about,
  children,
}: {
  title: string;
  many: number;
  about?: string;
  children: ReactNode;
}) {
  if (many === 0) return null;
  return (
    <details className="rests-on">
      <summary>
        {title} <span className="cap">{many}</span>
      </summary>
      {about && <p className="cap">{about}</p>}
      <ul>{children}</ul>
    </details>
  );
}
