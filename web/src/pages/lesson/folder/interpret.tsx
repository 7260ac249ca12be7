// Shows the tree of a prose with the components of the page. Nothing of it is run.

import { type ComponentType, createElement, type ReactNode } from "react";
import type { ProseNode } from "../../../lessons/folder/prose";
import type { Prose, ProseComponents } from "../../../lessons/load";

/** A prose made of a tree. */
export const proseOf =
  (tree: readonly ProseNode[]): Prose =>
  ({ components }) =>
    tree.map((node, i) => shown(node, i, components));

/** One piece, at its place among others. */
function shown(node: ProseNode, key: number, components: ProseComponents): ReactNode {
  if (typeof node === "string") return node;
  const { name, props, children } = node;
  // A component takes its attributes as texts; which it has was judged before.
  const type = (components[name] as ComponentType<Record<string, unknown>> | undefined) ?? name;
  return createElement(type, { ...props, key }, ...children.map((c, i) => shown(c, i, components)));
}
