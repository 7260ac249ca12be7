import { useWorkbenchState } from "../app/context";
import type { FunctionInfo } from "../engine/types";
import { type Source, sourceOf } from "./source";

/** Where a function stands in the sources of the kernel that runs; null where it stands in none. */
export const useSource = (of: FunctionInfo | undefined): Source | null => {
  const release = useWorkbenchState(({ engine, session }) =>
    engine.kind === "ready"
      ? engine.catalog.releases.find(([id]) => id === session?.info.kernel)?.[1]
      : undefined,
  );
  return of && release ? sourceOf(of, release) : null;
};

/** Leads to a function in a public browser of the kernel's sources, in a tab of its own. */
export function SourceLink({ source: { href, name, tag } }: { source: Source }) {
  return (
    <a
      className="source"
      href={href}
      target="_blank"
      rel="noreferrer"
      title={`${name} in the sources of Linux ${tag.slice(1)}`}
    >
      <span className="sr">
        {name} in the sources of Linux {tag.slice(1)}, in a new tab
      </span>
      <span aria-hidden="true">↗</span>
    </a>
  );
}
