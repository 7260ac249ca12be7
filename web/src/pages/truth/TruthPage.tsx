import { startTransition, use, useEffect, useState } from "react";
import { forgetTruth, loadTruth, type Truth } from "../../engine/load-truth";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { Modelled } from "./Modelled";
import { Machines, Marks } from "./Rules";
import { Tables } from "./Tables";
import { Twins } from "./Twins";
import "./truth.css";
import { RichText } from "../../ui/rich-text";
import { TRUTH_PAGE } from "./words";

/** Time between two checks whether the comparison has been made, ms. */
const RETRY_MS = 5000;

/** How the engine compares with real kernels and published tables, and what it leaves out. */
export function TruthPage() {
  const [loading, setLoading] = useState(loadTruth);
  const truth = use(loading);
  const { look, text, hasTouch } = useFit();
  useEffect(() => {
    document.title = TRUTH_PAGE.documentTitle;
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
      <PageBar crumb={<b>{TRUTH_PAGE.title}</b>} />
      <main className="held" aria-label={TRUTH_PAGE.title}>
        <h1 tabIndex={-1}>{TRUTH_PAGE.title}</h1>
        {truth ? <Compared truth={truth} /> : <NotMade />}
        <Modelled />
      </main>
    </div>
  );
}

function Compared({ truth }: { truth: Truth }) {
  return (
    <>
      <p className="stand">{TRUTH_PAGE.about(truth.engine.version)}</p>
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
      <RichText text={TRUTH_PAGE.notMade} parts={{ code: (text) => <code>{text}</code> }} />
    </p>
  );
}
