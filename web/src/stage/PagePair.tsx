import "./page-pair.css";
import { useEffect, useMemo, useState } from "react";
import { useWorkbench, useWorkbenchState } from "../app/context";
import { litSelected } from "../app/selection";
import { hex } from "../engine/format";
import type { Frame } from "../engine/protocol";
import { sentenceOf, wordsOf } from "../engine/sentence";
import type { Catalog, Info } from "../engine/types";
import { Name } from "../ui/lit";
import { Sentence } from "../ui/sentence";
import { type LastDecision, lastDecision } from "./last-decision";
import { PAGE_PAIR } from "./page-pair-words";
import { orderOf, type PagePlace, PagePlaces } from "./page-place";

interface PairProps {
  readonly info: Info;
  readonly frame: Frame;
}

/**
 * Why reclaim takes one page and not another: the two pages that were selected last, where they are
 * now, and the last decision about each.
 */
export function PagePair({ info, frame }: PairProps) {
  const workbench = useWorkbench();
  const pair = useSelectedPages();
  const places = useMemo(() => new PagePlaces(info, frame), [info, frame]);
  if (!pair) return null;
  const [a, b] = pair;
  const [inA, inB] = [places.of(a), places.of(b)];
  return (
    <section className="page-pair" aria-label={PAGE_PAIR.title}>
      <header>
        <h3>{PAGE_PAIR.title}</h3>
        <button
          type="button"
          className="btn line tiny"
          aria-label={PAGE_PAIR.close}
          onClick={() => {
            for (const pfn of pair) workbench.select(`page ${pfn}`);
          }}
        >
          {PAGE_PAIR.closeShort}
        </button>
      </header>
      <p className="page-pair-order" aria-live="polite">
        <b>{PAGE_PAIR.verdict(orderOf(inA, inB), a, b)}</b>{" "}
        <span className="cap">{PAGE_PAIR.help}</span>
      </p>
      <Page key={`a ${a}`} pfn={a} place={inA} {...{ info, frame }} />
      <Page key={`b ${b}`} pfn={b} place={inB} {...{ info, frame }} />
    </section>
  );
}

/** The two pages that were selected last, in the order of their selection; null without two. */
function useSelectedPages(): readonly [number, number] | null {
  const keys = useWorkbenchState((state) =>
    litSelected(state)
      .filter((key) => key.startsWith("page "))
      .slice(-2)
      .join(),
  );
  return useMemo(() => {
    const [a, b] = keys.split(",").map((key) => Number(key.slice("page ".length)));
    return a === undefined || b === undefined || keys === "" ? null : [a, b];
  }, [keys]);
}

function Page({ pfn, place, info, frame }: PairProps & { pfn: number; place: PagePlace }) {
  const { view } = frame;
  const nameOf = (id: number) => view.tasks.find((task) => task.id === id)?.name ?? String(id);
  return (
    <div>
      <p>
        <Name k={`page ${pfn}`}>{hex(pfn)}</Name>
        {PAGE_PAIR.place(place, nameOf)}
      </p>
      <Decision pfn={pfn} {...{ info, frame }} />
    </div>
  );
}

type Found = LastDecision | { readonly kind: "searching" | "failed" };

/** The text if no decision can be shown. */
const OTHERWISE: Readonly<Record<Found["kind"], string>> = {
  decided: PAGE_PAIR.searching,
  searching: PAGE_PAIR.searching,
  failed: PAGE_PAIR.unknown,
  none: PAGE_PAIR.undecided,
  "recent-only": PAGE_PAIR.recentOnly,
};

function Decision({ pfn, info, frame }: PairProps & { pfn: number }) {
  const catalog = useWorkbenchState(({ engine }) =>
    engine.kind === "ready" ? engine.catalog : null,
  );
  const found = useDecision(catalog, pfn, frame);
  if (!catalog || found.kind !== "decided") return <p className="cap">{OTHERWISE[found.kind]}</p>;
  const { record } = found;
  // After a jump back an answer of the future is not valid.
  if (record.step > frame.view.position.step) return <p className="cap">{PAGE_PAIR.searching}</p>;
  const spans = sentenceOf(record, wordsOf(catalog, info, frame.view));
  return (
    <p>
      <span className="cap">{PAGE_PAIR.decided(record.step)}</span>{" "}
      {spans && <Sentence spans={spans} />}
    </p>
  );
}

/** The last decision about a page; the earlier answer stays while the machine runs. */
function useDecision(catalog: Catalog | null, pfn: number, { mode, view }: Frame): Found {
  const workbench = useWorkbench();
  const [found, setFound] = useState<Found>({ kind: "searching" });
  const isPaused = mode.kind === "paused";
  const { step } = view.position;
  useEffect(() => {
    if (!catalog || !isPaused) return;
    const search = new AbortController();
    const ask = workbench.log();
    lastDecision(ask, catalog, { pfn, step }, search.signal).then(
      (last) => !search.signal.aborted && setFound(last),
      () => !search.signal.aborted && setFound({ kind: "failed" }),
    );
    return () => {
      search.abort();
      void ask({ kind: "end" }).catch(() => {});
    };
  }, [workbench, catalog, pfn, step, isPaused]);
  return found;
}
