// What the parts of a form share: the tree they change, and what is wrong with it.

import { createContext, use, useEffect, useRef } from "react";
import type { PlacedRefusals } from "./placed";
import { type Json, type Path, pathText, type Tree, withAt } from "./tree";

/** One part of an experiment while it is edited: its machine, or its workload. */
export interface Form {
  /** Where the part stands in the experiment. */
  readonly base: "machine" | "workload";
  readonly tree: Tree;
  readonly page_bytes: number;
  readonly faults: PlacedRefusals;
  /** Changes the part. What is typed into one place again and again is one change to undo. */
  readonly edit: (change: (tree: Tree) => Tree, where?: string) => void;
  /** What is unfolded, by its place. */
  readonly open: ReadonlySet<string>;
  readonly fold: (path: string, isOpen: boolean) => void;
  /** Items of a list have other numbers now, or (null) are gone: what was unfolded stays so. */
  readonly renumber: (list: string, to: (index: number) => number | null) => void;
  /** Puts the focus on what stands at a place once it is there: the part of that name in it. */
  readonly focus: (path: string, part: string) => void;
}

/** Holds the form around a field. */
export const FormContext = createContext<Form | null>(null);

/** The form around a field. */
export function useForm(): Form {
  const form = use(FormContext);
  if (!form) throw new Error("a field stands outside a form");
  return form;
}

/** What changes the place `path` of the part, and what is wrong there. */
export function usePlace(path: Path) {
  const form = useForm();
  const text = pathText([form.base, ...path]);
  return {
    text,
    fault: form.faults.get(text),
    set: (next: Json | undefined) => form.edit((tree) => withAt(tree, path, next) as Tree, text),
  };
}

/** Puts the focus where it was asked for, once what was changed is there. */
export function useFocus(box: React.RefObject<HTMLElement | null>) {
  const wanted = useRef<{ path: string; part: string } | null>(null);
  useEffect(() => {
    if (!wanted.current) return;
    const { path, part } = wanted.current;
    wanted.current = null;
    const place = box.current?.querySelector(`[data-at="${CSS.escape(path)}"]`);
    const of = (name: string) =>
      place?.querySelector<HTMLElement>(`[data-part${name}]:not(:disabled)`);
    // At the end of a list there is no further down: then the first thing there is.
    (of(`="${part}"`) ?? of(""))?.focus();
  });
  return (path: string, part: string) => {
    wanted.current = { path, part };
  };
}
