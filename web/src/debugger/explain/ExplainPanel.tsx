// The debugger's tab of explanations: page lifetimes, passes of reclaim, allocations, waits in
// reclaim, requests for huge pages, and the cost of accesses.

import "./explain.css";
import { useState } from "react";
import { useWorkbenchState } from "../../app/context";
import { litSelected } from "../../app/selection";
import type { Frame } from "../../engine/protocol";
import type { Words } from "../../engine/sentence";
import type { Catalog, Info } from "../../engine/types";
import { useWords } from "../../log/useWords";
import { AccessPart } from "./AccessPart";
import { AttemptPart } from "./AttemptPart";
import { COSTLY_ORDER } from "./attempt";
import { ChargePart } from "./ChargePart";
import { FunnelPart } from "./FunnelPart";
import { useReader } from "./hooks";
import { LifePart } from "./LifePart";
import { PlanPart } from "./plan/PlanPart";
import type { SearchContext } from "./search";
import { WaitPart } from "./WaitPart";
import { EXPLAIN_PANEL } from "./words";

// Loaded together with the other parts, because a separate chunk would delay the first figure more
// than it saves.
export { WhyBranches } from "./WhyBranches";

const PARTS = [
  ["life", EXPLAIN_PANEL.pageFrame],
  ["funnel", EXPLAIN_PANEL.reclaim],
  ["plan", EXPLAIN_PANEL.allocation],
  ["wait", EXPLAIN_PANEL.wait],
  ["charge", EXPLAIN_PANEL.charge],
  ["attempt", EXPLAIN_PANEL.hugePage],
  ["access", EXPLAIN_PANEL.access],
] as const;
type PartName = (typeof PARTS)[number][0];

/** Props of every part. */
export interface PartProps {
  readonly info: Info;
  readonly frame: Frame;
  readonly catalog: Catalog;
  readonly words: Words;
  /** The log, and the names of its rows. */
  readonly log: Pick<SearchContext, "ask" | "kinds">;
  /** The machine is paused: the log is searched only then. */
  readonly isPaused: boolean;
}

/** The tab, as soon as there is a machine. */
export function ExplainPanel() {
  const session = useWorkbenchState((state) => state.session);
  const catalog = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  if (!session?.frame || !catalog) return null;
  const { info, frame, experiment } = session;
  return <Explain info={info} frame={frame} catalog={catalog} experiment={experiment} />;
}

function Explain({
  info,
  frame,
  catalog,
  experiment,
}: {
  info: Info;
  frame: Frame;
  catalog: Catalog;
  experiment: string;
}) {
  const isLongRun = useWorkbenchState(({ longRun }) => longRun !== null);
  const selected = useWorkbenchState(litSelected);
  const [chosen, setPart] = useState<PartName>(() => partFor(frame, selected));
  const isThere = (name: PartName) =>
    (name !== "access" || hasRates(frame)) && (name !== "charge" || hasGroups(frame));
  const part = isThere(chosen) ? chosen : "life";
  const words = useWords(catalog, info, frame.view);
  const ask = useReader(info);
  const props: PartProps = {
    info,
    frame,
    catalog,
    words,
    log: { ask, kinds: catalog },
    isPaused: frame.mode.kind === "paused" && !isLongRun,
  };
  return (
    <section className="explain" aria-label={EXPLAIN_PANEL.explain}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend to be seen */}
      <div className="seg" role="group" aria-label={EXPLAIN_PANEL.whatToExplain}>
        {PARTS.filter(([name]) => isThere(name)).map(([name, title]) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === part}
            onClick={() => setPart(name)}
          >
            {title}
          </button>
        ))}
      </div>
      {/* The key drops results of another machine. */}
      {part === "life" && <LifePart key={experiment} {...props} />}
      {part === "funnel" && <FunnelPart key={experiment} {...props} />}
      {part === "plan" && <PlanPart key={experiment} {...props} />}
      {part === "wait" && <WaitPart key={experiment} {...props} />}
      {part === "charge" && <ChargePart key={experiment} {...props} />}
      {part === "attempt" && <AttemptPart key={experiment} {...props} />}
      {part === "access" && <AccessPart key={experiment} {...props} />}
    </section>
  );
}

/** Accesses can be explained only if their cost depends on the node of the page. */
const hasRates = ({ view }: Frame): boolean => view.nodes.some(({ memory }) => memory !== null);

/** Charges can hit a limit only on a machine with memory cgroups. */
const hasGroups = ({ view }: Frame): boolean => view.groups.length > 0;

/** The part that the user most likely wants to see when the tab opens. */
function partFor(frame: Frame, selected: readonly string[]): PartName {
  const { view } = frame;
  if (selected.some((key) => key.startsWith("page "))) return "life";
  if (view.groups.some(({ held }) => held.some(({ task }) => task === view.ran))) return "charge";
  const isOfWait = ({ task }: { task: number }) =>
    task === view.ran || selected.includes(`task ${task}`);
  const queues = view.nodes.flatMap(({ queues: all }) => all);
  const hasEnded = ({ last }: (typeof queues)[number]) => last?.step === view.position.step;
  if (queues.some((queue) => hasEnded(queue) || queue.waiters.some(isOfWait))) return "wait";
  if (view.route) return view.route.order > COSTLY_ORDER ? "attempt" : "plan";
  if (view.batches.some(({ pages }) => pages.length > 0)) return "funnel";
  return hasRates(frame) ? "access" : "life";
}
