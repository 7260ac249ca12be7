import { type ReactNode, useMemo, useState } from "react";
import { count, zoneWords } from "../../engine/format";
import type { View } from "../../engine/types";
import { Name } from "../../ui/lit";
import { RichText } from "../../ui/rich-text";
import { AgesPart } from "./AgesPart";
import { LookLine, Mark, StepLink } from "./bits";
import type { PartProps } from "./ExplainPanel";
import { FunnelTable } from "./FunnelTable";
import { addsUp, freedIn, type Pass, putBackIn } from "./funnel";
import { type Check, checksOf, type FunnelSum, RECLAIMERS } from "./funnel-sum";
import { useSearch } from "./hooks";
import { SoFar } from "./SoFar";
import { findPass, RunSums, type SearchContext } from "./search";
import { FUNNEL_PART } from "./words";

/** The results of reclaim: one pass over an inactive list, or the whole run so far. */
export function FunnelPart(props: PartProps) {
  const [chosen, setChosen] = useState<keyof typeof VIEWS>("pass");
  const View = VIEWS[chosen].part;
  return (
    <div className="funnel">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend to be seen */}
      <div className="links" role="group" aria-label={FUNNEL_PART.whichPasses}>
        {(["pass", "run", "ages"] as const).map((name) => (
          <button
            key={name}
            type="button"
            className="name"
            aria-pressed={name === chosen}
            onClick={() => setChosen(name)}
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
  pass: { title: FUNNEL_PART.lastPass, part: LastPass },
  run: { title: FUNNEL_PART.runSoFar, part: WholeRun },
  ages: { title: FUNNEL_PART.ages, part: AgesPart },
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
        {found.of !== null && !pass && FUNNEL_PART.reclaimHasScanned}
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
        <RichText
          text={FUNNEL_PART.pass(
            isKswapd,
            owner !== undefined,
            priority === undefined ? "" : priorityWords(priority),
            done !== null,
          )}
          parts={{
            task: (
              <Name k={`task ${task}`}>
                {words.tasks.get(task)?.name ?? FUNNEL_PART.task(task)}
              </Name>
            ),
            list: <code>{words.catalog.lru[pass.list]}</code>,
            owner: owner !== undefined && <Owner of={owner} />,
            isolated: <StepLink step={pass.step} />,
            done: done && <StepLink step={done.step} />,
          }}
        />
      </p>
      <FunnelTable funnel={pass} label={FUNNEL_PART.thisPass} />
      <Whole pass={pass} />
    </>
  );
}

function Owner({ of }: { of: string }) {
  if (!of.includes("/")) return <>{FUNNEL_PART.node(of)}</>;
  return <Name k={`zone ${of}`}>{zoneWords(of)}</Name>;
}

const priorityWords = (priority: number) =>
  priority === 0
    ? FUNNEL_PART.priorityAllOfList
    : FUNNEL_PART.priorityOfList(priority, 2 ** priority);

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
    return <Checked is={null}>{FUNNEL_PART.everyPageScanned}</Checked>;
  }
  if (!done) {
    return (
      <Checked is={null}>
        {FUNNEL_PART.isolatedFreed(taken, freedIn(pass), putBackIn(pass), ahead)}
      </Checked>
    );
  }
  const holds = addsUp(pass);
  return (
    <Checked is={holds}>
      {FUNNEL_PART.isolatedFreedPutBackAnd(
        taken,
        freedIn(pass),
        putBackIn(pass),
        holds,
        done.reclaimed,
        done.putBack,
      )}
    </Checked>
  );
}

function WholeRun(props: PartProps) {
  const { info, frame } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another machine has other sums
  const sums = useMemo(() => new RunSums(), [info]);
  const add = async (looking: SearchContext, step: number) => {
    const sum = await sums.at(looking, step);
    // The sums are compared with the counters of the same moment; the screen may show a later
    // moment by now.
    return { sum, checks: checksOf(sum, frame.view) };
  };
  return (
    <SoFar {...props} about={FUNNEL_PART.addUpItsPasses} ask={FUNNEL_PART.addUp} add={add}>
      {(found, step) => <TheSum {...found} step={step} />}
    </SoFar>
  );
}

function TheSum({ sum, step, checks }: { sum: FunnelSum; step: number; checks: Check[] }) {
  const { all, by } = sum;
  if (all.passes === 0) return <p className="else">{FUNNEL_PART.reclaimHasScanned}</p>;
  const parts = RECLAIMERS.filter((who) => by[who].passes > 0).map((who) =>
    FUNNEL_PART.passesByWho(by[who].passes, who),
  );
  const pending = freedIn(all) - all.counted;
  return (
    <>
      <p className="about">{FUNNEL_PART.fromBootTo(step, all.passes, parts.join(", "))}</p>
      <FunnelTable funnel={all} label={FUNNEL_PART.runSoFar} />
      {checks.map((check) => (
        <CheckLine key={check.what} check={check} />
      ))}
      {pending > 0 && <Checked is={null}>{FUNNEL_PART.moreFreedInBatches(pending)}</Checked>}
    </>
  );
}

function CheckLine({ check: { what, here, counters, holds } }: { check: Check }) {
  const total = counters.reduce((sum, [, value]) => sum + value, 0);
  return (
    <Checked is={holds}>
      {FUNNEL_PART.check(here, what, total)}{" "}
      {counters.map(([name, value], i) => (
        <span key={name}>
          {i > 0 && " + "}
          {count(value)} <code>{name}</code>
        </span>
      ))}
      {holds ? FUNNEL_PART.sameAsInProcVmstat : FUNNEL_PART.theyDifferPart}
    </Checked>
  );
}
