// The first divergence: the first difference between the two runs, the decision of each, and the
// decisions that followed.

import { usePair, usePairState } from "../../app/pair/context";
import type { Decisions, Divergence } from "../../app/pair/divergence";
import type { Side } from "../../app/pair/pair";
import type { ProgramPoint } from "../../engine/first-divergence";
import type { LogEntry } from "../../engine/types";
import { RichText } from "../../ui/rich-text";
import { Sentence } from "../../ui/sentence";
import { Badge } from "./Badge";
import { InSide } from "./InSide";
import { FORK } from "./words";

type Found = Extract<Divergence, { kind: "found" }>;

/** The panel between the two machines. */
export function Fork() {
  const divergence = usePairState((state) => state.divergence);
  return (
    <section className="compare-fork" aria-labelledby="compare-fork-title">
      <h2 id="compare-fork-title">{FORK.title}</h2>
      <Stand divergence={divergence} />
    </section>
  );
}

function Stand({ divergence }: { divergence: Divergence }) {
  const pair = usePair();
  switch (divergence.kind) {
    case "unknown":
      return <Search about={FORK.aboutFind} />;
    case "searching":
      return (
        <>
          <p role="status">{FORK.searching(divergence.step, divergence.time_ns)}</p>
          <button type="button" className="btn line" onClick={() => pair.cancelSearch()}>
            {FORK.cancel}
          </button>
        </>
      );
    case "none":
      return <p className="compare-lead-words">{FORK.none(divergence.step)}</p>;
    case "stopped":
      return <Search about={FORK.stopped(divergence.message)} />;
    case "found":
      return <Diverged found={divergence} />;
  }
}

function Search({ about }: { about: string }) {
  const pair = usePair();
  return (
    <>
      <p className="dim">{about}</p>
      <button type="button" className="btn line" onClick={() => void pair.search()}>
        {FORK.find}
      </button>
    </>
  );
}

function Diverged({ found }: { found: Found }) {
  const pair = usePair();
  const { step, time_ns, last, runs, decisions } = found;
  return (
    <>
      <p className="compare-lead-words">
        {step === 0 ? FORK.atStart : FORK.equalFor(step, time_ns)}
      </p>
      <button type="button" className="btn solid" onClick={() => pair.openDivergence()}>
        {FORK.show} <kbd>F</kbd>
      </button>
      {decisions.kind === "read" && <Decided decisions={decisions.decisions} />}
      {decisions.kind === "reading" && <p role="status">{FORK.reading}</p>}
      {decisions.kind === "unreadable" && (
        <>
          <p role="status">{FORK.unreadable(decisions.message)}</p>
          <button type="button" className="btn line" onClick={() => void pair.readAgain()}>
            {FORK.readAgain}
          </button>
        </>
      )}
      <div className="compare-code">
        {last && (
          <>
            <p className="dim">{FORK.lastLine(last.name)}</p>
            <Line place={last} />
          </>
        )}
        <p className="dim">{FORK.nextLine}</p>
        {runs.map(({ next }, i) => {
          const side: Side = i === 0 ? "a" : "b";
          return (
            <div key={side} className="compare-next">
              <Badge side={side} />
              {next ? <Line place={next} /> : <span className="dim">{FORK.ended}</span>}
            </div>
          );
        })}
      </div>
      {decisions.kind === "read" && <Followed following={decisions.decisions.following} />}
    </>
  );
}

function Line({ place }: { place: ProgramPoint }) {
  return (
    <p className="compare-line">
      <code>{place.line}</code>
      <span className="dim">
        <RichText
          text={FORK.taskIn(place.name)}
          parts={{ function: <code>{place.function}</code> }}
        />
      </span>
    </p>
  );
}

function Decided({ decisions: { first } }: { decisions: Decisions }) {
  const [a, b] = first;
  if (!a && !b) return <p className="dim">{FORK.noDecision}</p>;
  return (
    <>
      <h3>{FORK.decision}</h3>
      <One side="a" decision={a} />
      <One side="b" decision={b} />
    </>
  );
}

/** A decision of one machine; its names highlight that machine's items. */
function One({ side, decision }: { side: Side; decision: LogEntry | null }) {
  return (
    <div className="compare-decision">
      <Badge side={side} />
      <p>
        <InSide side={side}>
          {decision?.sentence ? (
            <Sentence spans={decision.sentence} />
          ) : (
            (decision?.name ?? FORK.noMore)
          )}
        </InSide>
      </p>
    </div>
  );
}

function Followed({ following }: { following: Decisions["following"] }) {
  return (
    <>
      <h3>{FORK.following}</h3>
      {following.map((decisions, i) => {
        const side: Side = i === 0 ? "a" : "b";
        return (
          <div key={side} className="compare-decision">
            <Badge side={side} />
            {decisions.length === 0 ? (
              <p className="dim">{FORK.noMore}</p>
            ) : (
              <ol>
                {decisions.map((decision, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
                  <li key={place}>
                    <InSide side={side}>
                      {decision.sentence ? <Sentence spans={decision.sentence} /> : decision.name}
                    </InSide>
                  </li>
                ))}
              </ol>
            )}
          </div>
        );
      })}
    </>
  );
}
