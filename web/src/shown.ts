// Which page shows, and the workbench in it. One engine runs at a time: leaving a page ends its.

import { Workbench } from "./app/controller";
import { type Place, readFragment, watchPlace } from "./link/router";

/** A page with its engine. */
export interface Shown {
  readonly place: Place;
  readonly workbench: Workbench;
}

/** The page that shows. */
export class Pages {
  #shown: Shown = begin(readFragment(location.hash));
  /** Another page than the first shows: it takes the focus, which the one before had. */
  hasMoved = false;
  readonly #listeners = new Set<() => void>();

  constructor() {
    watchPlace((place) => {
      if (nameOf(place) === nameOf(this.#shown.place)) return;
      this.#shown.workbench.dispose();
      this.#shown = begin(place);
      this.hasMoved = true;
      scrollTo(0, 0);
      for (const listener of this.#listeners) listener();
    });
  }

  /** What shows; the same object until it changes. */
  readonly shown = (): Shown => this.#shown;

  /** Calls back when another page shows. */
  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  };
}

function begin(place: Place): Shown {
  const ownsAddress = place.page === "workbench";
  return { place, workbench: new Workbench(undefined, { ownsAddress }) };
}

/** Places of one name are one page. */
export function nameOf(place: Place): string {
  if (place.page === "lesson") return `lesson ${place.id}`;
  return place.page === "report" ? `report ${place.table ?? ""}` : place.page;
}
