// The page for an unknown address.

import { useEffect } from "react";
import { readDraft } from "../../link/draft";
import { DOCS, writeFragment } from "../../link/router";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { TITLES } from "./texts";
import "./docs.css";
import { RichText } from "../../ui/rich-text";
import { UNKNOWN_PAGE } from "./words";

/** The maximum length of an address that is shown. */
const MOST_SHOWN = 120;

/** Says that the page does not exist, and offers links. */
export function UnknownPage({ asked }: { asked: string }) {
  const { look, text, hasTouch } = useFit();
  useEffect(() => {
    document.title = UNKNOWN_PAGE.documentTitle;
  }, []);
  return (
    <div
      className="doc-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar />
      <main className="doc" aria-label={UNKNOWN_PAGE.noSuchPage}>
        <h1 tabIndex={-1}>{UNKNOWN_PAGE.thereIsNoSuchPage}</h1>
        <p>
          <RichText
            text={UNKNOWN_PAGE.nothingHere}
            parts={{ readable: <code>{readable(asked)}</code> }}
          />
        </p>
        <nav aria-label={UNKNOWN_PAGE.whereYouCanGo}>
          <ul>
            <li>
              <RichText
                text={UNKNOWN_PAGE.home}
                parts={{ a: (text) => <a href={writeFragment({ page: "home" })}>{text}</a> }}
              />
            </li>
            <li>
              <a href={writeFragment({ page: "workbench", x: null })}>
                {readDraft() === null ? UNKNOWN_PAGE.workbench : UNKNOWN_PAGE.yourDraftInWorkbench}
              </a>
            </li>
            <li>
              <a href={writeFragment({ page: "report", table: null })}>
                {UNKNOWN_PAGE.publishedTables}
              </a>
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
