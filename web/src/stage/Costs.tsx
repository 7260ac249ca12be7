import { useWorkbench, useWorkbenchState } from "../app/context";
import { type Costs as CostsOf, costsOf, eachWords, type PerPage } from "../draw/per-page";
import { clock, count, duration } from "../engine/format";
import type { View } from "../engine/types";
import { RichText } from "../ui/rich-text";
import { COSTS } from "./words";

/** The timeline's name for the counter of pages that are read again. */
const REREAD = "reread";

/** The cost of each page allocated so far. */
export function Costs({ view }: { view: View }) {
  const costs = costsOf(view.counters);
  return costs && <EachPage costs={costs} />;
}

/** The losses: pages from other nodes, pages that had to be read again. */
export function Losses({ view }: { view: View }) {
  const again = view.counters.find(([name]) => name === REREAD)?.[1] ?? 0;
  return (
    <>
      {view.nodes.map(
        ({ id, first_fallback: fallback }) =>
          fallback && <First key={id} node={id} fallback={fallback} />,
      )}
      {again > 0 && <Again pages={again} />}
    </>
  );
}

function EachPage({ costs }: { costs: CostsOf }) {
  const { pages, scans, stalls } = costs;
  return (
    <div className="part costs">
      <h3 className="label">
        {COSTS.costPerPage}
        <span className="sr"> {COSTS.allocated}</span>
      </h3>
      <Parts verb="scanned" parts={scans} figure={eachWords} />
      <Parts verb="stalled" parts={stalls} figure={duration} />
      <details>
        <summary aria-label={COSTS.whatIsCounted}>?</summary>
        <p>{COSTS.average(pages)}</p>
        <p>
          <RichText text={COSTS.scanned} parts={{ b: (text) => <b>{text}</b> }} />
        </p>
        <p>
          <RichText text={COSTS.stalled} parts={{ b: (text) => <b>{text}</b> }} />
        </p>
      </details>
    </div>
  );
}

const WHO: Readonly<Record<string, string>> = {
  kswapd: "by kswapd",
  "direct reclaim": "direct",
  zone_reclaim: "in zone_reclaim",
};

/**
 * "scanned 0.52 by kswapd, 4.1 in zone_reclaim"; "direct" has the name from the row of scanned
 * pages.
 */
function Parts({
  verb,
  parts,
  figure,
}: {
  verb: string;
  parts: readonly PerPage[];
  figure: (each: number) => string;
}) {
  const some = parts.filter(({ all }) => all > 0);
  if (some.length === 0) return null;
  return (
    <p className="cap">
      {verb}{" "}
      {some.map(({ who, each }, i) => (
        <span key={who}>
          {i > 0 && ", "}
          <b>{figure(each)}</b> {WHO[who] ?? who}
        </span>
      ))}
    </p>
  );
}

/** The time at which another node first provided a page, with a link to that step. */
function First({
  node,
  fallback,
}: {
  node: number;
  fallback: NonNullable<View["nodes"][number]["first_fallback"]>;
}) {
  const workbench = useWorkbench();
  const name = useWorkbenchState(({ session }) => {
    const task = session?.frame?.view.tasks.find(({ id }) => id === fallback.task);
    return task?.name ?? "a task";
  });
  const [other] = fallback.zone.split("/");
  return (
    <div className="part costs">
      <h3 className="label" title={COSTS.fellBackNodeToHelp(node, other)}>
        {COSTS.fellBackNodeTo(node, other)}
      </h3>
      <p className="cap">
        <RichText
          text={COSTS.firstAtFor(name)}
          parts={{ time: <b>{clock(fallback.time_ns)} s</b> }}
        />{" "}
        <button
          type="button"
          className="btn line tiny"
          aria-label={COSTS.goThereLabel(node, other)}
          onClick={() => workbench.transport.seek({ kind: "step", step: fallback.step })}
        >
          {COSTS.goThere}
        </button>
      </p>
    </div>
  );
}

function Again({ pages }: { pages: number }) {
  const workbench = useWorkbench();
  const tracks = useWorkbenchState((state) => state.tracks);
  return (
    <div className="part costs">
      <h3 className="label">{COSTS.readAgain}</h3>
      <p className="cap">
        <RichText text={COSTS.rereads(pages)} parts={{ pages: <b>{count(pages)}</b> }} />{" "}
        {!tracks.includes(REREAD) && (
          <button
            type="button"
            className="btn line tiny"
            onClick={() => workbench.keep({ tracks: [...tracks, REREAD].slice(-8) })}
          >
            {COSTS.showOverTime}
          </button>
        )}
      </p>
    </div>
  );
}
