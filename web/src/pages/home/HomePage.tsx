import { useState } from "react";
import { usePaintedFrames } from "../../app/painted";
import { suggestion } from "../../lessons/standing";
import { readDraft } from "../../link/draft";
import { LAST_SWEEP, writeFragment } from "../../link/router";
import { ReservePattern } from "../../stage/ReservePattern";
import { isBeside, pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { Begin, Course } from "./Course";
import { HomeStage } from "./HomeStage";
import { QUESTIONS } from "./questions";
import "./home.css";
import { RichText } from "../../ui/rich-text";
import { HOME_PAGE } from "./words";

/**
 * The home page: what mmscope is, a machine about to make a decision, and links to everything else.
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
          {readDraft() === null ? HOME_PAGE.workbench : HOME_PAGE.backToMyDraft}
        </a>
      </PageBar>
      <main className="home-columns" aria-label={HOME_PAGE.mmscope}>
        <div className="head">
          <h1 tabIndex={-1}>{HOME_PAGE.title}</h1>
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
          <Many />
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
      <h2 id="questions">{HOME_PAGE.questionsToExplore}</h2>
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
      <h2 id="published">{HOME_PAGE.checkedAgainstPublishedResults}</h2>
      <p>
        <RichText
          text={HOME_PAGE.publishedTables}
          parts={{
            a: (text) => <a href={writeFragment({ page: "report", table: null })}>{text}</a>,
          }}
        />
      </p>
      <p>
        <RichText
          text={HOME_PAGE.howTrue}
          parts={{ a: (text) => <a href={writeFragment({ page: "truth" })}>{text}</a> }}
        />
      </p>
    </section>
  );
}

function Own() {
  return (
    <section aria-labelledby="own">
      <h2 id="own">{HOME_PAGE.yourOwnMachine}</h2>
      <p>
        <RichText
          text={HOME_PAGE.openCaptureOrTrace}
          parts={{ a: (text) => <a href={writeFragment({ page: "trace" })}>{text}</a> }}
        />
      </p>
      <p>
        <RichText
          text={HOME_PAGE.ownWorkload}
          parts={{
            a: (
              <a href={writeFragment({ page: "workbench", x: null, dialog: "import" })}>
                <RichText
                  text={HOME_PAGE.pasteYourProcZoneinfo}
                  parts={{ code: (text) => <code>{text}</code> }}
                />
              </a>
            ),
          }}
        />
      </p>
      <p>
        <RichText
          text={HOME_PAGE.runs}
          parts={{ a: (text) => <a href={writeFragment({ page: "history" })}>{text}</a> }}
        />
      </p>
    </section>
  );
}

function Many() {
  return (
    <section aria-labelledby="many">
      <h2 id="many">{HOME_PAGE.many}</h2>
      <p>
        <RichText
          text={HOME_PAGE.sweep}
          parts={{
            a: (text) => <a href={writeFragment(LAST_SWEEP)}>{text}</a>,
          }}
        />
      </p>
    </section>
  );
}

function LookUp() {
  return (
    <section aria-labelledby="texts">
      <h2 id="texts">{HOME_PAGE.lookItUp}</h2>
      <p>
        <RichText
          text={HOME_PAGE.texts}
          parts={{
            a: (text) => (
              <a href={writeFragment({ page: "doc", doc: "manual", section: null })}>{text}</a>
            ),
            a2: (text) => (
              <a href={writeFragment({ page: "doc", doc: "glossary", section: null })}>{text}</a>
            ),
          }}
        />
      </p>
    </section>
  );
}
