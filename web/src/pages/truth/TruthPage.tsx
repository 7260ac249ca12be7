import { use, useEffect } from "react";
import { loadTruth } from "../../engine/load-truth";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { Modelled } from "./Modelled";
import { Machines, Marks } from "./Rules";
import { Tables } from "./Tables";
import { Twins } from "./Twins";
import "./truth.css";

/** What the engine was held against, how it came out, and what it leaves out. */
export function TruthPage() {
  const truth = use(loadTruth());
  const { look, text, hasTouch } = useFit();
  useEffect(() => {
    document.title = "How true is this? · mmscope";
  }, []);
  return (
    <div
      className="truth-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar crumb={<b>How true is this?</b>} />
      <main className="held" aria-label="How true is this?">
        <h1 tabIndex={-1}>How true is this?</h1>
        <p className="stand">
          Everything below was made by running engine {truth.engine.version} against what real
          kernels printed and counted. Nothing is typed in. Where it disagrees, it says so.
        </p>
        <Marks marks={truth.marks} />
        <Twins twins={truth.twins} />
        <Tables engine={truth.engine} teaching={truth.teaching} />
        <Machines machines={truth.machines} />
        <Modelled />
      </main>
    </div>
  );
}
