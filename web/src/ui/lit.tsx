// Linked highlighting: a name of a zone, task, page or state highlights that item wherever it is
// drawn.

import type { ReactNode } from "react";
import { useRunViewModel, useRunViewState } from "../app/run-view-model";
import { litByStory, litHovered, litSelected } from "../app/selection";
import type { Key } from "../app/store";

/** Why an item is highlighted. */
export interface Light {
  readonly isHovered: boolean;
  readonly isSelected: boolean;
  /** The story's present sentence is about it. */
  readonly isInStory?: boolean;
}

/** Is this key hovered or selected, or does what is hovered or selected highlight it? */
export function useLight(key: Key, also: Key = key): Light {
  const isIn = (keys: readonly Key[]) => keys.includes(key) || keys.includes(also);
  const isHovered = useRunViewState((state) => isIn(litHovered(state)));
  const isSelected = useRunViewState((state) => isIn(litSelected(state)));
  const isTold = useRunViewState((state) => isIn(litByStory(state)));
  return { isHovered, isSelected, isInStory: isTold };
}

/** Class names of a highlight. */
export const lightClass = ({ isHovered, isSelected, isInStory }: Light): string =>
  `${isHovered ? " lit-hover" : ""}${isSelected ? " lit-select" : ""}${isInStory ? " lit-story" : ""}`;

/** Handlers that highlight a key while its element is hovered or focused. */
export function useHoverProps(key: Key) {
  const model = useRunViewModel();
  return {
    onPointerEnter: () => model.hover(key),
    onPointerLeave: () => model.hover(null),
    onFocus: () => model.hover(key),
    onBlur: () => model.hover(null),
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
  const model = useRunViewModel();
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
      onClick={() => model.select(k)}
      {...useHoverProps(k)}
    >
      {children}
    </button>
  );
}
