import { readFileSync } from "node:fs";
import type { ComponentType, ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { COMPONENTS, parseProse } from "../../../lessons/folder/prose";
import type { Prose, ProseComponents } from "../../../lessons/load";
import { proseOf } from "./interpret";

const built = import.meta.glob<Prose>("../../../../../lessons/*/index.mdx", { import: "default" });

/** Components that show their props. */
const recorder = (name: string): ComponentType<never> =>
  // biome-ignore lint/correctness/noComponentHookFactories: rendered to text once, without state
  function Recorder({ children, ...props }: { children?: ReactNode }) {
    return (
      <div data-of={name} {...{ "data-props": JSON.stringify(props) }}>
        {children}
      </div>
    );
  };
const components: ProseComponents = Object.fromEntries(
  Object.keys(COMPONENTS).map((name) => [name, recorder(name)]),
);

/** Line breaks between blocks have no meaning. */
const flat = (html: string) =>
  html.replace(/\s+/g, " ").replace(/ ?(<\/?(?:div|p|ul|li)[^>]*>) ?/g, "$1");

test.each(Object.keys(built))(
  "shows the lesson %s in the same way as when it is built with the page",
  async (path) => {
    const Built = await built[path]?.();
    if (!Built) throw new Error("it is built");
    const { tree, faults } = parseProse(
      readFileSync(path.replace(/^.*lessons\//, "lessons/"), "utf8"),
    );
    expect(faults).toEqual([]);
    const Own = proseOf(tree);
    const own = flat(renderToStaticMarkup(<Own components={components} />));
    expect(own).toBe(flat(renderToStaticMarkup(<Built components={components} />)));
    expect(own.length).toBeGreaterThan(3000);
  },
);
