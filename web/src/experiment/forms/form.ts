// State that the parts of a form share: the tree that they change, and its errors.

import { createContext, use, useEffect, useRef } from "react";
import type { FieldRefusals } from "./field-refusals";
import { type Json, type Path, pathText, type Tree, withAt } from "./tree";

/** One part of an experiment that is being edited: its machine or its workload. */
export interface Form {
  /** The part's path in the experiment. */
  readonly base: "machine" | "workload";
  readonly tree: Tree;
  readonly page_bytes: number;
  readonly faults: FieldRefusals;
  /** Changes the part. Successive changes at the same path are one undo step. */
  readonly edit: (change: (tree: Tree) => Tree, where?: string) => void;
  /** The unfolded paths. */
  readonly open: ReadonlySet<string>;
  readonly fold: (path: string, isOpen: boolean) => void;
  /**
   * Handles new indices of list items, or null for removed items, so that unfolded items stay
   * unfolded.
   */
  readonly renumber: (list: string, to: (index: number) => number | null) => void;
  /** Focuses the element named `part` at a path as soon as it exists. */
  readonly focus: (path: string, part: string) => void;
}

/** Provides the form to its fields. */
export const FormContext = createContext<Form | null>(null);

/** The form that contains a field. */
export function useForm(): Form {
  const form = use(FormContext);
  if (!form) throw new Error("a field must be rendered inside a form");
  return form;
}

/** Functions that change the value at `path` in the part, and the error there. */
export function usePlace(path: Path) {
  const form = useForm();
  const text = pathText([form.base, ...path]);
  return {
    text,
    fault: form.faults.get(text),
    set: (next: Json | undefined) => form.edit((tree) => withAt(tree, path, next) as Tree, text),
  };
}

/** Moves the focus to the requested element after the change was rendered. */
export function useFocus(box: React.RefObject<HTMLElement | null>) {
  const focusTarget = useRef<{ path: string; part: string } | null>(null);
  useEffect(() => {
    if (!focusTarget.current) return;
    const { path, part } = focusTarget.current;
    focusTarget.current = null;
    const place = box.current?.querySelector(`[data-at="${CSS.escape(path)}"]`);
    const of = (name: string) =>
      place?.querySelector<HTMLElement>(`[data-part${name}]:not(:disabled)`);
    // The last item cannot move down; in that case the first control gets the focus.
    (of(`="${part}"`) ?? of(""))?.focus();
  });
  return (path: string, part: string) => {
    focusTarget.current = { path, part };
  };
}
