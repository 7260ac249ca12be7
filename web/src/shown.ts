// Manages the shown page and its workbench. Leaving a page ends its engine. The page that compares
// two machines has two workbenches, the first of which is the page's.

import { Workbench } from "./app/controller";
import { Pair } from "./app/pair/pair";
import { type Address, embedOf, readFragment, watchAddress } from "./link/router";
import { holdTheme, restoreTheme } from "./ui/theme";

/** A page with its engine. */
export interface Shown {
  readonly address: Address;
  readonly workbench: Workbench;
  /** Both machines of the page that compares; null on other pages. */
  readonly pair: Pair | null;
}

/** The page that is shown. */
export class Pages {
  #shown: Shown = begin(readFragment(location.hash));
  /** True after the first change of page. The new page then takes the focus. */
  hasMoved = false;
  readonly #listeners = new Set<() => void>();

  constructor() {
    watchAddress((address) => {
      if (nameOf(address) === nameOf(this.#shown.address)) return this.#stay(address);
      const { pair, workbench } = this.#shown;
      (pair ?? workbench).dispose();
      this.#shown = begin(address);
      this.hasMoved = true;
      scrollTo(0, 0);
      for (const listener of this.#listeners) listener();
    });
  }

  /** The same page with another address: a report with other columns. */
  #stay(address: Address): void {
    if (address.page !== "report") return;
    this.#shown = { ...this.#shown, address };
    for (const listener of this.#listeners) listener();
  }

  /** The page that is shown; the same object until it changes. */
  readonly shown = (): Shown => this.#shown;

  /** Calls back when another page is shown. */
  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  };
}

function begin(address: Address): Shown {
  const embed = embedOf(address);
  if (embed) holdTheme(embed.theme);
  else restoreTheme();
  if (address.page === "compare") {
    const pair = new Pair();
    return { address, workbench: pair.a, pair };
  }
  const isBench = address.page === "workbench";
  const whose = { ownsAddress: isBench && !embed, isEmbedded: isBench && embed !== null };
  return { address, workbench: new Workbench(undefined, whose), pair: null };
}

/** Addresses with the same name belong to the same page. */
export function nameOf(address: Address): string {
  const embed = embedOf(address);
  return embed ? `${bareName(address)} embedded ${JSON.stringify(embed)}` : bareName(address);
}

function bareName(address: Address): string {
  if (address.page === "lesson") return `lesson ${address.id}`;
  if (address.page === "doc") return `doc ${address.doc}`;
  if (address.page === "unknown") return `unknown ${address.asked}`;
  return address.page === "report" ? `report ${address.table ?? ""}` : address.page;
}
