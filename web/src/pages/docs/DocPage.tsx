// One text of docs/ as a page.

import { type ComponentProps, use, useEffect, useState } from "react";
import { DOCS, type DocAddress, watchAddress, writeFragment } from "../../link/router";
import { pageZoom, useFit } from "../../ui/fit";
import { PageBar } from "../../ui/page-bar";
import { loadText, TITLES } from "./texts";
import "./docs.css";

/** Manual, glossary, and what an experiment and a link hold. */
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

/** Brings the section that the address names to the top, now and when the address changes. */
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

/** The other texts there are. */
function Others({ doc }: { doc: DocAddress["doc"] }) {
  return (
    <nav className="others" aria-label="Other texts">
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

/** Wide tables move sideways by themselves, by keyboard too. */
const Table = (props: ComponentProps<"table">) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: who works by keyboard reaches what is scrolled to
  <section className="sideways" tabIndex={0} aria-label="Table">
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
