import { type ComponentProps, lazy, Suspense, useMemo } from "react";
import { readGenerations } from "../draw/generations";
import type { Frame } from "../engine/protocol";
import { afterFirstFigure } from "../ui/first-figure";
import { LruLists } from "./LruLists";

const Generations = lazy(async () => {
  const { Generations: G } = await afterFirstFigure(() => import("./Generations"));
  return { default: G };
});

/** A node's pages by age: the classic lists, or generations if its kernel uses them now. */
export function AgedPages({
  frame,
  ...props
}: Omit<ComponentProps<typeof LruLists>, "view"> & { frame: Frame }) {
  const { view } = frame;
  const { node, width_px, place } = props;
  const pages = useMemo(
    () => readGenerations(frame.generations, view.generations),
    [frame.generations, view.generations],
  );
  const at = view.generations.findIndex((owner) => owner.node === node);
  const owner = view.generations[at];
  const lru = view.lru.find(({ key }) => key === owner?.key);
  if (!owner || !lru) return <LruLists {...props} view={view} />;
  return (
    <Suspense fallback={<div className="lru" />}>
      <Generations {...{ view, owner, lru, width_px, place }} lists={pages[at] ?? []} />
    </Suspense>
  );
}
