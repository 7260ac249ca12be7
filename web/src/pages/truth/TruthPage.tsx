import { startTransition, use, useEffect, useState } from "react";
import { forgetTruth, loadTruth, type Truth } from "../../engine/load-truth";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { Modelled } from "./Modelled";
import { Machines, Marks } from "./Rules";
import { Tables } from "./Tables";
import { Twins } from "./Twins";
import "./truth.css";

/** Time between two checks whether the comparison has been made, ms. */
const RETRY_MS = 5000;

/** How the engine compares with real kernels and published tables, and what it leaves out. */
export function TruthPage() {
  const [loading, setLoading] = useState(loadTruth);
  const truth = use(loading);
  const { look, text, hasTouch } = useFit();
  useEffect(() => {
    document.title = "How true is this? · mmscope";
  }, []);
  useEffect(() => {
    if (truth) return;
    const timer = setInterval(() => {
      forgetTruth();
      // The present content stays until the answer has arrived.
      startTransition(() => setLoading(loadTruth()));
    }, RETRY_MS);
    return () => clearInterval(timer);
  }, [truth]);
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
        {truth ? <Compared truth={truth} /> : <NotMade />}
        <Modelled />
      </main>
    </div>
  );
}

function Compared({ truth }: { truth: Truth }) {
  return (
    <>
      <p className="stand">
        Everything below compares runs of engine {truth.engine.version} with what real kernels
        printed and counted. No result is typed in by hand, and every disagreement is shown.
      </p>
      <Marks marks={truth.marks} />
      <Twins twins={truth.twins} score={truth.twins_score} />
      <Tables teaching={truth.teaching} />
      <Machines machines={truth.machines} />
    </>
  );
}

function NotMade() {
  return (
    <p className="stand" role="status">
      The comparison with real kernels has not been made yet. <code>npm start</code> makes it in
      about a minute after it starts to serve the page; this page then shows it without a reload.
      For a page on another host, <code>npm run build</code> includes it.
    </p>
  );
}
