import { use, useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { presetsOf } from "../../engine/catalog";
import { once } from "../../engine/once";
import type { Catalog } from "../../engine/types";
import { loadCatalog } from "../../engine/worker/load-catalog";
import {
  type Address,
  LAST_SWEEP,
  readFragment,
  replaceAddress,
  type SweepAddress,
  watchAddress,
} from "../../link/router";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { Axes } from "./Axes";
import { axisWords, pathOf } from "./axes";
import { Base } from "./Base";
import { SweepController } from "./controller";
import { baseTitle, type Definition, definitionOf } from "./definition";
import { Findings } from "./Findings";
import { linkedBy } from "./linked";
import { Runner } from "./Runner";
import * as words from "./words";
import "./sweep.css";

const catalogOnce = once(loadCatalog);

/** The experiment of a first sweep: a short run. */
const FIRST = "anon-hog.teach";

/** Runs one experiment along axes, and shows how figures depend on them. */
export function SweepPage({ address }: { address: SweepAddress }) {
  const catalog = use(catalogOnce());
  const presets = useMemo(() => presetsOf(catalog), [catalog]);
  const { look, text, hasTouch } = useFit();
  const controller = useMemo(() => new SweepController(), []);
  useEffect(() => {
    document.title = `${words.TITLE} · mmscope`;
    const open = (to: Address) => {
      if (to.page === "sweep") void controller.begin(linkedBy(to, presets), FIRST);
    };
    open(address);
    const unwatch = watchAddress(open);
    // After a reload the stored sweep opens with all later changes.
    const forget = controller.store.subscribe(({ isStored }) => {
      if (isStored && readFragment(location.hash).page === "sweep") replaceAddress(LAST_SWEEP);
    });
    return () => {
      unwatch();
      forget();
      controller.dispose();
    };
  }, [address, controller, presets]);
  const linkFault = useStore(controller.store, (state) => state.linkFault);
  const definition = useStore(controller.store, (state) => state.definition);
  const plan = useStore(controller.store, (state) => state.plan);
  return (
    <div
      className="sweep-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar crumb={<b>{words.TITLE}</b>} />
      <main className="sweep" aria-label={words.TITLE}>
        <h1 tabIndex={-1}>{words.TITLE}</h1>
        <p className="sweep-intro">{words.INTRO}</p>
        {linkFault && (
          <p className="sweep-fault" role="alert">
            {linkFault} {words.LINK.stays}
          </p>
        )}
        {definition && (
          <div className="sweep-columns">
            <div className="sweep-form">
              <Base {...{ definition, controller, catalog, presets }} />
              <Axes
                rows={definition.rows}
                change={(rows) => controller.change({ ...definition, rows })}
                catalog={catalog}
                kernel={kernelOf(definition, presets)}
              />
              <Runner controller={controller} />
              <Earlier controller={controller} catalog={catalog} />
            </div>
            <div className="sweep-findings">
              {plan ? (
                <Findings {...{ controller, plan, presets }} />
              ) : (
                <p className="sweep-none">{words.NOTHING_YET}</p>
              )}
            </div>
          </div>
        )}
      </main>
    </div>
  );
}

/** The kernel whose tunables the form offers: that of the experiment. */
function kernelOf({ experiment }: Definition, presets: Readonly<Record<string, string>>): string {
  const described =
    typeof experiment === "string" ? JSON.parse(presets[experiment] ?? "{}") : experiment;
  return String(described.kernel ?? "");
}

/** Other sweeps that this browser stores. */
function Earlier({ controller, catalog }: { controller: SweepController; catalog: Catalog }) {
  const saved = useStore(controller.store, (state) => state.saved);
  const id = useStore(controller.store, (state) => state.id);
  const titles = useMemo(
    () => new Map(catalog.experiments.map((each) => [each.id, each.title])),
    [catalog],
  );
  const others = saved.filter((each) => each.id !== id);
  if (others.length === 0) return null;
  return (
    <section className="sweep-earlier" aria-labelledby="sweep-earlier">
      <h2 id="sweep-earlier">{words.EARLIER}</h2>
      <ul>
        {others.map((each) => {
          const definition = definitionOf(each.file);
          const title = baseTitle(definition.experiment, titles);
          const axes = definition.rows.map((row) => axisWords(pathOf(row)));
          return (
            <li key={each.id}>
              <button
                type="button"
                className="btn"
                aria-label={words.openSweep(title)}
                onClick={() => controller.open(each)}
              >
                <span>
                  {title}
                  <small>{words.sweepWords(axes)}</small>
                </span>
              </button>
              <button
                type="button"
                className="btn line"
                aria-label={words.removeSweep(title)}
                onClick={() => void controller.remove(each.id)}
              >
                {words.REMOVE}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
