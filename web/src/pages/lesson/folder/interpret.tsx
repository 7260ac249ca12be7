// Shows the tree of a prose with the components of the page. No part of it is executed.

import { type ComponentType, createElement, type ReactNode } from "react";
import type { ProseNode } from "../../../lessons/folder/prose";
import type { Prose, ProseComponents } from "../../../lessons/load";

/** A prose component made from a tree. */
export const proseOf =
  (tree: readonly ProseNode[]): Prose =>
  ({ components }) =>
    tree.map((node, i) => rendered(node, i, components));

/** One node, with its index among its siblings. */
function rendered(node: ProseNode, key: number, components: ProseComponents): ReactNode {
  if (typeof node === "string") return node;
  const { name, props, children } = node;
  // A component's attributes are texts; `check.ts` has verified their names.
  const type = (components[name] as ComponentType<Record<string, unknown>> | undefined) ?? name;
  return createElement(
    type,
    { ...props, key },
    ...children.map((c, i) => rendered(c, i, components)),
  );
}
