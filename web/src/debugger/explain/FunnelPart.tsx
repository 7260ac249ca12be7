import { type ReactNode, useMemo, useState } from "react";
import { count, counted, zoneWords } from "../../engine/format";
import type { View } from "../../engine/types";
import { Name } from "../../ui/lit";
import { AgesPart } from "./AgesPart";
import { LookLine, Mark, StepLink } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { FunnelTable } from "./FunnelTable";
import { addsUp, freedIn, type Pass, putBackIn } from "./funnel";
import { type Check, checksOf, type FunnelSum, RECLAIMERS } from "./funnel-sum";
import { useSearch } from "./hooks";
import { SoFar } from "./SoFar";
import { findPass, RunSums, type SearchContext } from "./search";

/** The results of reclaim: one pass over an inactive list, or the whole run so far. */
export function FunnelPart(props: PartProps) {
  const [shown, setShown] = useState<keyof typeof VIEWS>("pass");
  const View = VIEWS[shown].part;
  return (
    <div className="funnel">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend to be seen */}
      <div className="links" role="group" aria-label="Which passes">
        {(["pass", "run", "ages"] as const).map((name) => (
          <button
            key={name}
            type="button"
            className="name"
            aria-pressed={name === shown}
            onClick={() => setShown(name)}
          >
            {VIEWS[name].title}
          </button>
        ))}
      </div>
      <View {...props} />
    </div>
  );
}

const VIEWS = {
  pass: { title: "The last pass", part: LastPass },
  run: { title: "The run so far", part: WholeRun },
  ages: { title: "Ages", part: AgesPart },
} as const;

/** The task whose batch is shown: the followed one if it holds a batch. */
function holderOf({ batches, followed }: View): number | null {
  const batch = batches.find(({ task, pages }) => task === followed && pages.length > 0);
  return batch?.task ?? null;
}

function LastPass({ frame, words, log, isPaused }: PartProps) {
  const { view } = frame;
  const { step } = view.position;
  const task = holderOf(view);
  const key = isPaused ? `${step} ${task}` : null;
  const found = useSearch(key, log, (looking) => findPass(looking, step, task));
  // After a step back, results from later steps are hidden.
  const isAhead = found.value && (found.value.done?.step ?? found.value.step) > step;
  const pass = isAhead ? null : found.value;
  return (
    <>
      <LookLine {...found} goOn={found.again}>
        {found.of !== null && !pass && "Reclaim has scanned no page since boot."}
      </LookLine>
      {pass && <ThePass pass={pass} view={view} words={words} />}
    </>
  );
}

function ThePass({ pass, view, words }: { pass: Pass; view: View } & Pick<PartProps, "words">) {
  const { done, task } = pass;
  const reclaimer = view.reclaimers.find((other) => other.task === task);
  const isKswapd = done?.reported?.kswapd ?? reclaimer?.kswapd;
  const priority = done?.reported?.priority ?? reclaimer?.priority;
  const batch = view.batches.find((other) => other.task === task && other.pages.length > 0);
  const owner = done ? view.lru[done.owner]?.key : batch?.owner;
  return (
    <>
      <p className="about">
        <Name k={`task ${task}`}>{words.tasks.get(task)?.name ?? `task ${task}`}</Name>
        {isKswapd !== undefined && (isKswapd ? ", for its node" : ", for its own request")}, from{" "}
        <code>{words.catalog.lru[pass.list]}</code>
        {owner !== undefined && (
          <>
            {" "}
            of <Owner of={owner} />
          </>
        )}
        {priority !== undefined && `, ${priorityWords(priority)}`}. Isolated at{" "}
        <StepLink step={pass.step} />
        {done ? (
          <>
            , put back at <StepLink step={done.step} />.
          </>
        ) : (
          ", still isolated."
        )}
      </p>
      <FunnelTable funnel={pass} label="This pass" />
      <Whole pass={pass} />
    </>
  );
}

function Owner({ of }: { of: string }) {
  if (!of.includes("/")) return <>node {of}</>;
  return <Name k={`zone ${of}`}>{zoneWords(of)}</Name>;
}

const priorityWords = (priority: number) =>
  priority === 0
    ? "priority 0: all of the list"
    : `priority ${priority}: 1/${count(2 ** priority)} of the list`;

/** A sum and whether it is correct. */
function Checked({ is, children }: { is: boolean | null; children: ReactNode }) {
  return (
    <p className="check">
      <Mark is={is} />
      <span>{children}</span>
    </p>
  );
}

/** Compares the sum of the parts with the whole, and with the pass's own report. */
function Whole({ pass }: { pass: Pass }) {
  const { done, taken, ahead } = pass;
  if (taken === 0) {
    return <Checked is={null}>Every page scanned was skipped: none was isolated.</Checked>;
  }
  if (!done) {
    return (
      <Checked is={null}>
        {count(taken)} isolated = {count(freedIn(pass))} freed + {count(putBackIn(pass))} to be put
        back + {count(ahead)} not decided yet.
      </Checked>
    );
  }
  const holds = addsUp(pass);
  return (
    <Checked is={holds}>
      {count(taken)} isolated = {count(freedIn(pass))} freed + {count(putBackIn(pass))} put back
      {holds
        ? ", which matches the pass’s own count."
        : `, but the pass’s own count is ${count(done.reclaimed)} and ${count(done.kept)}.`}
    </Checked>
  );
}

function WholeRun(props: PartProps) {
  const { info, frame } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another machine has other sums
  const sums = useMemo(() => new RunSums(), [info]);
  const add = async (looking: SearchContext, step: number) => {
    const sum = await sums.at(looking, step);
    // Compared with the counters of the same moment; the screen may show another one by now.
    return { sum, checks: checksOf(sum, frame.view) };
  };
  return (
    <SoFar {...props} about="add up its passes" ask="Add up" add={add}>
      {(found, step) => <TheSum {...found} step={step} />}
    </SoFar>
  );
}

function TheSum({ sum, step, checks }: { sum: FunnelSum; step: number; checks: Check[] }) {
  const { all, by } = sum;
  if (all.passes === 0) return <p className="else">Reclaim has scanned no page since boot.</p>;
  const parts = RECLAIMERS.filter((who) => by[who].passes > 0).map(
    (who) => `${count(by[who].passes)} by ${who === "kswapd" ? "kswapd" : "direct reclaim"}`,
  );
  const pending = freedIn(all) - all.counted;
  return (
    <>
      <p className="about">
        From boot to #{count(step)}: {counted(all.passes, "pass", "passes")}, {parts.join(", ")}.
      </p>
      <FunnelTable funnel={all} label="The run so far" />
      {checks.map((check) => (
        <CheckLine key={check.what} check={check} />
      ))}
      {pending > 0 && (
        <Checked is={null}>
          {count(pending)} more freed in batches still isolated. The kernel counts them when it puts
          the rest back.
        </Checked>
      )}
    </>
  );
}

function CheckLine({ check: { what, here, counters, holds } }: { check: Check }) {
  const total = counters.reduce((sum, [, value]) => sum + value, 0);
  return (
    <Checked is={holds}>
      {count(here)} {what} here {here === total ? "=" : "≠"}{" "}
      {counters.map(([name, value], i) => (
        <span key={name}>
          {i > 0 && " + "}
          {count(value)} <code>{name}</code>
        </span>
      ))}
      {holds
        ? ", the same as in /proc/vmstat."
        : ". They differ: part of it was not recorded as passes."}
    </Checked>
  );
}
