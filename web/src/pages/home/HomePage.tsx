import { usePaintedFrames } from "../../app/painted";
import { counted } from "../../engine/format";
import { LESSONS, type LessonHead } from "../../lessons/heads";
import { readProgress } from "../../lessons/progress";
import { readDraft } from "../../link/draft";
import { writeFragment } from "../../link/router";
import { KeptBackPattern } from "../../stage/KeptBackPattern";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { HomeStage } from "./HomeStage";
import { QUESTIONS } from "./questions";
import "./home.css";

/** The first page: what this is, a machine about to decide something, and ways in. */
export function HomePage() {
  const { look, text, hasTouch } = useFit();
  usePaintedFrames();
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
        <h1 tabIndex={-1}>Watch the Linux kernel run short of memory, one decision at a time.</h1>
        <HomeStage />
        <div className="rest">
          <Lessons />
          <Experiments />
          <section aria-labelledby="published">
            <h2 id="published">Held against what was published</h2>
            <p>
              <a href={writeFragment({ page: "report", table: null })}>
                Published tables beside simulated ones
              </a>
              : five patch series from 2010 to 2021, each with its kernels, its workloads and a
              lesson. Run a benchmark with each kernel and see where the engine agrees and where it
              does not.
            </p>
            <p>
              <a href={writeFragment({ page: "truth" })}>How true is this?</a> What real kernels
              printed and counted, and what the engine makes of the same.
            </p>
          </section>
          <section aria-labelledby="own">
            <h2 id="own">Your own machine</h2>
            <p>
              <a href={writeFragment({ page: "workbench", x: null, dialog: "import" })}>
                Paste your <code>/proc/zoneinfo</code>
              </a>{" "}
              and run a workload on a machine of the same shape. It stays in your browser.
            </p>
          </section>
          <section aria-labelledby="texts">
            <h2 id="texts">Look it up</h2>
            <p>
              <a href={writeFragment({ page: "doc", doc: "manual", section: null })}>Manual</a>: how
              to use the page.{" "}
              <a href={writeFragment({ page: "doc", doc: "glossary", section: null })}>Glossary</a>:
              what the words mean, the kernel’s and ours.
            </p>
          </section>
        </div>
      </main>
      <KeptBackPattern />
    </div>
  );
}

function Lessons() {
  return (
    <section aria-labelledby="lessons">
      <h2 id="lessons">Read and try</h2>
      <ul className="lessons">
        {LESSONS.map((lesson) => (
          <LessonLink key={lesson.id} lesson={lesson} />
        ))}
      </ul>
      <p>
        <a href={writeFragment({ page: "folder" })}>Open a lesson of your own</a> from its folder.
      </p>
    </section>
  );
}

function LessonLink({ lesson: { id, title, about, minutes, steps } }: { lesson: LessonHead }) {
  const { current } = readProgress(id);
  const at = steps.findIndex((step) => step.id === current);
  return (
    <li>
      <a href={writeFragment({ page: "lesson", id })}>
        <b>{title}</b>
        <span className="minutes">
          {at > 0 ? `go on at step ${at + 1} of ${steps.length}` : counted(minutes, "minute")}
        </span>
        <span className="about">{about}</span>
      </a>
    </li>
  );
}

function Experiments() {
  return (
    <section aria-labelledby="experiments">
      <h2 id="experiments">Ask a machine</h2>
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
