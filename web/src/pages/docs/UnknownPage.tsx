// The page for an unknown address.

import { useEffect } from "react";
import { readDraft } from "../../link/draft";
import { DOCS, writeFragment } from "../../link/router";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { TITLES } from "./texts";
import "./docs.css";

/** Longest part of an address that is shown. */
const MOST_SHOWN = 120;

/** Says that the page does not exist, and offers links. */
export function UnknownPage({ asked }: { asked: string }) {
  const { look, text, hasTouch } = useFit();
  useEffect(() => {
    document.title = "No such page · mmscope";
  }, []);
  return (
    <div
      className="doc-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar />
      <main className="doc" aria-label="No such page">
        <h1 tabIndex={-1}>There is no such page</h1>
        <p>
          mmscope has nothing at <code>{readable(asked)}</code>. Nothing you made is lost: drafts,
          saved moments and answers are still in this browser.
        </p>
        <nav aria-label="Where you can go">
          <ul>
            <li>
              <a href={writeFragment({ page: "home" })}>Home</a>: a machine to watch, and all
              lessons
            </li>
            <li>
              <a href={writeFragment({ page: "workbench", x: null })}>
                {readDraft() === null ? "Workbench" : "Your draft in the workbench"}
              </a>
            </li>
            <li>
              <a href={writeFragment({ page: "report", table: null })}>Published tables</a>
            </li>
            {DOCS.slice(0, 2).map((doc) => (
              <li key={doc}>
                <a href={writeFragment({ page: "doc", doc, section: null })}>{TITLES[doc].title}</a>
                : {TITLES[doc].about}
              </li>
            ))}
          </ul>
        </nav>
      </main>
    </div>
  );
}

/** The requested address in readable form, cut if it is long. */
function readable(asked: string): string {
  const text = decoded(asked);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} …` : text;
}

function decoded(asked: string): string {
  try {
    return decodeURIComponent(asked);
  } catch {
    return asked;
  }
}
