import { useEffect, useRef } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Breakpoint } from "../app/watch";
import type { Fidelity, FunctionInfo, View } from "../engine/types";
import { beforeDrawing } from "../ui/before-drawing";
import { useFit } from "../ui/fit";
import { Name } from "../ui/lit";

const FIDELITY: Record<Fidelity, string> = {
  mirrored: "mirrors",
  simplified: "simplifies",
  absent: "stands in for",
};

/** The followed task's innermost function, its line about to run marked. */
export function CodePanel({ view, functions }: { view: View; functions: readonly FunctionInfo[] }) {
  const frame = view.stack[0];
  const current = frame ? functions[frame.function] : undefined;
  return (
    <section className="code-panel" aria-label="Pseudo-code">
      <div className="hd">
        <h2 className="label mono">
          {current ? <Name k={`fn ${current.name}`}>{current.name}</Name> : "user mode"}
        </h2>
        <span className="cap" title={current?.note || undefined}>
          {current?.file ? `${FIDELITY[current.fidelity]} ${current.file}` : "pseudo-code"}
        </span>
      </div>
      {frame && current ? (
        <CodeLines lines={current} line={frame.line} />
      ) : (
        <p className="else">This task is in user mode: no kernel function runs.</p>
      )}
    </section>
  );
}

/** Brings a line into its box. Not scrollIntoView: that would also scroll the page. */
function scrollTo(item: HTMLElement): void {
  const box = item.closest<HTMLElement>(".code");
  if (!box) return;
  const top = item.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + item.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}

function CodeLines({ lines: { name, lines }, line }: { lines: FunctionInfo; line: number }) {
  const now = useRef<HTMLLIElement>(null);
  const workbench = useWorkbench();
  const { hasTouch } = useFit();
  const breakpoints = useWorkbenchState((state) => state.breakpoints);
  const sideTab = useWorkbenchState((state) => state.sideTab);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever another line is current, or there is another room for it
  useEffect(() => {
    return beforeDrawing(() => now.current && scrollTo(now.current));
  }, [name, line, sideTab]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="code" aria-label={`Lines of ${name}`} tabIndex={0}>
      {/* Another function has lines of its own, not these moved. */}
      <ol key={name}>
        {lines.map(({ text, indent }, i) => {
          const isNow = i === line;
          const stop = stopAt(breakpoints, name, i);
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
              key={i}
              ref={isNow ? now : undefined}
              className={isNow ? "now" : ""}
              aria-current={isNow ? "step" : undefined}
            >
              {hasTouch ? (
                // Too small for a finger: there the list of breakpoints sets them.
                <span className="g" data-stop={stop ?? undefined}>
                  {isNow ? "▶" : ""}
                </span>
              ) : (
                <button
                  type="button"
                  className="g"
                  // The keyboard sets one with B and in the list of breakpoints.
                  tabIndex={-1}
                  aria-pressed={stop !== null}
                  aria-label={`Breakpoint at line ${i + 1}`}
                  data-stop={stop ?? undefined}
                  onClick={() => workbench.stops.toggle({ kind: "line", name, line: i })}
                >
                  {isNow ? "▶" : ""}
                </button>
              )}
              <span className="n">{i + 1}</span>
              <span style={{ paddingInlineStart: 12 * indent }}>{text}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Is there a breakpoint at this line, and is it on? Those with a condition count too. */
function stopAt(breakpoints: readonly Breakpoint[], name: string, line: number) {
  const here = breakpoints.find(
    ({ watch }) => watch.kind === "line" && watch.name === name && watch.line === line,
  );
  return here ? (here.isOn ? "on" : "off") : null;
}
