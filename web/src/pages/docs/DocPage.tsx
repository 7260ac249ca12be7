// One text of docs/ as a page.

import { type ComponentProps, use, useEffect, useState } from "react";
import { DOCS, type DocAddress, watchAddress, writeFragment } from "../../link/router";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { loadText, TITLES } from "./texts";
import "./docs.css";
import { DOC_PAGE } from "./words";

/** Manual, glossary, and the formats of experiments and links. */
export function DocPage({ address }: { address: DocAddress }) {
  const { default: Text } = use(loadText(address.doc));
  const { look, text, hasTouch } = useFit();
  const { title } = TITLES[address.doc];
  useSection(address);
  useEffect(() => {
    document.title = `${title} · mmscope`;
  }, [title]);
  return (
    <div
      className="doc-page"
      data-look={look}
      data-touch={hasTouch || undefined}
      style={pageZoom(text)}
    >
      <PageBar crumb={<b>{title}</b>} />
      <main className="doc" aria-label={title}>
        <Text components={COMPONENTS} />
        <Others doc={address.doc} />
      </main>
    </div>
  );
}

/** Scrolls to the section in the address, now and when the address changes. */
function useSection({ doc, section: first }: DocAddress) {
  const [section, setSection] = useState(first);
  useEffect(
    () =>
      watchAddress((address) => {
        if (address.page === "doc" && address.doc === doc) setSection(address.section);
      }),
    [doc],
  );
  useEffect(() => {
    const heading = section === null ? null : document.getElementById(section);
    if (heading) {
      heading.scrollIntoView({ block: "start" });
      heading.focus({ preventScroll: true });
    } else scrollTo(0, 0);
  }, [section]);
}

/** Links to the other texts. */
function Others({ doc }: { doc: DocAddress["doc"] }) {
  return (
    <nav className="others" aria-label={DOC_PAGE.otherTexts}>
      <ul>
        {DOCS.filter((other) => other !== doc).map((other) => (
          <li key={other}>
            <a href={writeFragment({ page: "doc", doc: other, section: null })}>
              {TITLES[other].title}
            </a>{" "}
            {TITLES[other].about}
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A wide table scrolls sideways separately, also by keyboard. */
const Table = (props: ComponentProps<"table">) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
  <section className="sideways" tabIndex={0} aria-label={DOC_PAGE.table}>
    <table {...props} />
  </section>
);

/** Headings take the focus when an address leads to them. */
const COMPONENTS = {
  table: Table,
  h1: (props: ComponentProps<"h1">) => <h1 tabIndex={-1} {...props} />,
  h2: (props: ComponentProps<"h2">) => <h2 tabIndex={-1} {...props} />,
  h3: (props: ComponentProps<"h3">) => <h3 tabIndex={-1} {...props} />,
};
