// Linked highlighting: a name of a zone, task, page or state highlights that item wherever it is
// drawn.

import type { ReactNode } from "react";
import { useRunViewModel, useRunViewState } from "../app/run-view-model";
import { litHovered, litSelected, litTold } from "../app/selection";
import type { Key } from "../app/store";

/** Why an item is highlighted. */
export interface Light {
  readonly isHovered: boolean;
  readonly isSelected: boolean;
  /** The story's present sentence is about it. */
  readonly isTold?: boolean;
}

/** Is this key hovered or selected, or does what is hovered or selected highlight it? */
export function useLight(key: Key, also: Key = key): Light {
  const isIn = (keys: readonly Key[]) => keys.includes(key) || keys.includes(also);
  const isHovered = useRunViewState((state) => isIn(litHovered(state)));
  const isSelected = useRunViewState((state) => isIn(litSelected(state)));
  const isTold = useRunViewState((state) => isIn(litTold(state)));
  return { isHovered, isSelected, isTold };
}

/** Class names of a highlight. */
export const lightClass = ({ isHovered, isSelected, isTold }: Light): string =>
  `${isHovered ? " lit-hover" : ""}${isSelected ? " lit-select" : ""}${isTold ? " lit-told" : ""}`;

/** Handlers that highlight a key while its element is hovered or focused. */
export function useHoverProps(key: Key) {
  const desk = useRunViewModel();
  return {
    onPointerEnter: () => desk.hover(key),
    onPointerLeave: () => desk.hover(null),
    onFocus: () => desk.hover(key),
    onBlur: () => desk.hover(null),
  };
}

/** A name that highlights its item, and selects it when pressed. */
export function Name({
  k,
  also,
  className = "name",
  label,
  tabIndex,
  term,
  children,
}: {
  k: Key;
  /** Another key to highlight: the function that a task is in. */
  also?: Key | undefined;
  className?: string;
  label?: string;
  /** -1 if the arrow keys of a grid reach it. */
  tabIndex?: -1 | undefined;
  /** The entries of the glossary that explain the item. */
  term?: string | undefined;
  children: ReactNode;
}) {
  const desk = useRunViewModel();
  const light = useLight(k, also);
  const isPressed = useRunViewState((state) => state.selected.includes(k));
  return (
    <button
      type="button"
      className={`${className}${lightClass(light)}`}
      aria-pressed={isPressed}
      aria-label={label}
      tabIndex={tabIndex}
      data-term={term}
      onClick={() => desk.select(k)}
      {...useHoverProps(k)}
    >
      {children}
    </button>
  );
}
