import { useState } from "react";
import { usePaintedFrames } from "../../app/painted";
import { suggestion } from "../../lessons/standing";
import { readDraft } from "../../link/draft";
import { writeFragment } from "../../link/router";
import { ReservePattern } from "../../stage/ReservePattern";
import { isBeside, pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { Begin, Course } from "./Course";
import { HomeStage } from "./HomeStage";
import { QUESTIONS } from "./questions";
import "./home.css";

/**
 * The first page: what mmscope is, a machine about to make a decision, and links to everything
 * else.
 */
export function HomePage() {
  const { look, text, hasTouch } = useFit();
  usePaintedFrames();
  // Progress made later shows when the page is opened again.
  const [suggested] = useState(suggestion);
  return (
    <div
      className="home"
      data-look={look}
      data-touch={hasTouch || undefined}
      data-motion="none"
      style={pageZoom(text)}
    >
      <PageBar>
        <a className="btn" href={writeFragment({ page: "workbench", x: null })}>
          {readDraft() === null ? "Workbench" : "Back to my draft"}
        </a>
      </PageBar>
      <main className="ways" aria-label="mmscope">
        <div className="head">
          <h1 tabIndex={-1}>Watch the Linux kernel run short of memory, one decision at a time.</h1>
          <Begin suggested={suggested} />
        </div>
        <HomeStage />
        {/* In one column the course comes first. */}
        {isBeside(look) && <Questions />}
        <Course suggested={suggested} isFolded={look === "phone"} />
        {!isBeside(look) && <Questions />}
        <div className="more">
          <Published />
          <Own />
          <LookUp />
        </div>
      </main>
      <ReservePattern />
    </div>
  );
}

function Questions() {
  return (
    <section className="to-explore" aria-labelledby="questions">
      <h2 id="questions">Questions to explore</h2>
      <ul className="questions">
        {QUESTIONS.map(({ question, preset }) => (
          <li key={preset}>
            <a href={writeFragment({ page: "workbench", x: null, preset })}>{question}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Published() {
  return (
    <section aria-labelledby="published">
      <h2 id="published">Checked against published results</h2>
      <p>
        <a href={writeFragment({ page: "report", table: null })}>
          Published tables beside simulated ones
        </a>
        : five patch series from 2010 to 2021, each with its kernels, its workloads and a lesson.
        Run a benchmark with each kernel, and see where the simulated results agree with the
        published ones and where they do not.
      </p>
      <p>
        <a href={writeFragment({ page: "truth" })}>How true is this?</a> Values that real kernels
        printed and counted, beside the engine’s values for the same machines and workloads.
      </p>
    </section>
  );
}

function Own() {
  return (
    <section aria-labelledby="own">
      <h2 id="own">Your own machine</h2>
      <p>
        <a href={writeFragment({ page: "trace" })}>Open a capture or a trace</a> of a real machine:
        its events, its counters and its reports, in the same timeline as a simulated run.
      </p>
      <p>
        <a href={writeFragment({ page: "workbench", x: null, dialog: "import" })}>
          Paste your <code>/proc/zoneinfo</code>
        </a>{" "}
        and run a workload on a machine of the same shape. Nothing leaves your browser.
      </p>
      <p>
        <a href={writeFragment({ page: "history" })}>Your runs</a>: every run that reached its end
        in this browser, with its results and your notes.
      </p>
    </section>
  );
}

function LookUp() {
  return (
    <section aria-labelledby="texts">
      <h2 id="texts">Look it up</h2>
      <p>
        <a href={writeFragment({ page: "doc", doc: "manual", section: null })}>Manual</a>: how to
        use the page.{" "}
        <a href={writeFragment({ page: "doc", doc: "glossary", section: null })}>Glossary</a>: the
        kernel’s terms and ours, each explained in a sentence or two.
      </p>
    </section>
  );
}
