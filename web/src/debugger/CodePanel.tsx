import { useEffect, useRef, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import type { Breakpoint } from "../app/watch";
import type { Catalog, Fidelity, FunctionInfo, Info, View } from "../engine/types";
import { beforeDrawing } from "../ui/before-drawing";
import { useFit } from "../ui/fit";
import { Name } from "../ui/lit";
import { SourceLink, useSource } from "./SourceLink";
import { CODE_PANEL } from "./words";

const FIDELITY: Record<Fidelity, string> = {
  mirrored: "mirrors",
  simplified: "simplifies",
  absent: "replaces",
};

/** The innermost function of the followed task; the next line to run is marked. */
export function CodePanel({ view, functions }: { view: View; functions: readonly FunctionInfo[] }) {
  const frame = view.stack[0];
  const current = frame ? functions[frame.function] : undefined;
  const absent = useWorkbenchState(({ session }) => session?.info.absent_lines ?? NONE);
  const [isExpanded, setExpanded] = useState(false);
  const missing = absent.filter(([of]) => of === frame?.function).map(([, line]) => line);
  const source = useSource(current);
  return (
    <section className="code-panel" aria-label={CODE_PANEL.pseudoCode}>
      <div className="hd">
        <h2 className="label mono">
          {current ? <Name k={`fn ${current.name}`}>{current.name}</Name> : CODE_PANEL.userMode}
        </h2>
        {source && <SourceLink source={source} />}
        <span className="cap" title={current?.note || undefined}>
          {source && current
            ? `${FIDELITY[current.fidelity]} ${current.file}`
            : CODE_PANEL.notInKernelSources}
        </span>
        {missing.length > 0 && (
          <button
            type="button"
            className="btn tiny"
            aria-pressed={isExpanded}
            title={CODE_PANEL.otherKernelsHelp}
            onClick={() => setExpanded(!isExpanded)}
          >
            {CODE_PANEL.otherKernels}
          </button>
        )}
      </div>
      {frame && current ? (
        <CodeLines
          lines={current}
          line={frame.line}
          isHidden={(line) => missing.includes(line) && !isExpanded && line !== frame.line}
          isOther={(line) => missing.includes(line)}
        />
      ) : (
        <p className="else">{CODE_PANEL.inUserMode}</p>
      )}
    </section>
  );
}

const NONE: Info["absent_lines"] = [];

/** Scrolls a line into view within its box. ScrollIntoView would also scroll the page. */
function scrollTo(item: HTMLElement): void {
  const box = item.closest<HTMLElement>(".code");
  if (!box) return;
  const top = item.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + item.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}

function CodeLines({
  lines: { name, lines },
  line,
  isHidden,
  isOther,
}: {
  lines: FunctionInfo;
  line: number;
  /** Only other kernels have the line, and lines of other kernels are hidden. */
  isHidden: (line: number) => boolean;
  /** Only other kernels have the line. */
  isOther: (line: number) => boolean;
}) {
  const now = useRef<HTMLLIElement>(null);
  const sideTab = useWorkbenchState((state) => state.sideTab);
  const releases = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog.releases : NO_RELEASES,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another line is current, or the height of the box changes
  useEffect(() => {
    return beforeDrawing(() => now.current && scrollTo(now.current));
  }, [name, line, sideTab]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="code" aria-label={CODE_PANEL.linesOf(name)} tabIndex={0}>
      {/* The key creates new elements for another function, so that lines do not animate. */}
      <ol key={name}>
        {lines.map(({ text, indent, kernels }, i) => {
          const isNow = i === line;
          if (isHidden(i)) return null;
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its number
              key={i}
              ref={isNow ? now : undefined}
              className={isNow ? "now" : isOther(i) ? "other" : ""}
              aria-current={isNow ? "step" : undefined}
            >
              <Gutter name={name} line={i} isNow={isNow} />
              <span className="n">{i + 1}</span>
              <span className="text" style={{ paddingInlineStart: `${2 * indent + 2}ch` }}>
                {text}
                {isOther(i) && kernels && <small>{kernelWords(kernels, releases)}</small>}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The kernels that have a line: a range names the first and the last release. */
function kernelWords(kernels: readonly string[], releases: Catalog["releases"]): string {
  const plain = kernels.filter((id) =>
    releases.some(([of, release]) => of === id && of === release),
  );
  const [first, last] = [plain[0], plain.at(-1)];
  if (first === undefined) return kernels.join(", ");
  return first === last ? first : CODE_PANEL.firstToLast(first, last);
}

const NO_RELEASES: Catalog["releases"] = [];

function Gutter({ name, line, isNow }: { name: string; line: number; isNow: boolean }) {
  const workbench = useWorkbench();
  const { hasTouch } = useFit();
  const stop = useWorkbenchState((state) => stopAt(state.breakpoints, name, line));
  return hasTouch ? (
    // Too small for touch: there breakpoints are set in their list.
    <span className="g" data-stop={stop ?? undefined}>
      {isNow ? "▶" : ""}
    </span>
  ) : (
    <button
      type="button"
      className="g"
      // The keyboard sets a breakpoint with B and in the list of breakpoints.
      tabIndex={-1}
      aria-pressed={stop !== null}
      aria-label={CODE_PANEL.breakpointAtLine(line + 1)}
      data-stop={stop ?? undefined}
      onClick={() => workbench.stops.toggle({ kind: "line", name, line })}
    >
      {isNow ? "▶" : ""}
    </button>
  );
}

/** Is there a breakpoint at this line, and is it on? Breakpoints with a condition count, too. */
function stopAt(breakpoints: readonly Breakpoint[], name: string, line: number) {
  const here = breakpoints.find(
    ({ watch }) => watch.kind === "line" && watch.name === name && watch.line === line,
  );
  return here ? (here.isOn ? "on" : "off") : null;
}
