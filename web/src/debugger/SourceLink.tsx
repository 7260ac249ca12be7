import { useWorkbenchState } from "../app/context";
import type { FunctionInfo } from "../engine/types";
import { type Source, sourceOf } from "./source";
import { SOURCE_LINK } from "./words";

/**
 * The location of a function in the sources of the running kernel; null if they do not contain it.
 */
export const useSource = (of: FunctionInfo | undefined): Source | null => {
  const release = useWorkbenchState(({ engine, session }) =>
    engine.kind === "ready"
      ? engine.catalog.releases.find(([id]) => id === session?.info.kernel)?.[1]
      : undefined,
  );
  return of && release ? sourceOf(of, release) : null;
};

/** A link to a function in a public browser of the kernel's sources, in a new tab. */
export function SourceLink({ source: { href, name, tag } }: { source: Source }) {
  return (
    <a
      className="source"
      href={href}
      target="_blank"
      rel="noreferrer"
      title={SOURCE_LINK.inSourcesOfLinux(name, tag.slice(1))}
    >
      <span className="sr">{SOURCE_LINK.inSourcesOfLinux2(name, tag.slice(1))}</span>
      <span aria-hidden="true">↗</span>
    </a>
  );
}
