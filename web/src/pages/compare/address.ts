// The address of the page: it opens both machines, and is updated when they move.

import { useEffect, useState } from "react";
import { writeAlignment } from "../../app/pair/alignment";
import type { Pair } from "../../app/pair/pair";
import { MOST_OFFERED } from "../../link/link";
import {
  type CompareAddress,
  readFragment,
  replaceAddress,
  urlOf,
  watchAddress,
  writeFragment,
} from "../../link/router";
import { knownTo, openAddress, writeSteps } from "./setup";
import { PAGE } from "./words";

/**
 * Opens the machines of an address once both engines are ready, and again when the user changes the
 * address.
 */
export function useOpenAddress(pair: Pair, address: CompareAddress): void {
  const [first] = useState(address);
  useEffect(() => {
    const open = async (to: CompareAddress) => {
      const known = knownTo(pair.a);
      if (known && knownTo(pair.b)) await openAddress(pair, known, to);
    };
    const forget = whenReady(pair, () => void open(first));
    const unwatch = watchAddress((to) => {
      if (to.page === "compare" && !isShown(pair, to)) void open(to);
    });
    return () => {
      forget();
      unwatch();
    };
  }, [pair, first]);
}

/** Calls once when both engines are ready. */
function whenReady({ a, b }: Pair, then: () => void): () => void {
  let isDone = false;
  const look = () => {
    if (isDone || !knownTo(a) || !knownTo(b)) return;
    isDone = true;
    then();
  };
  const forgets = [a.store.subscribe(look), b.store.subscribe(look)];
  look();
  return () => {
    isDone = true;
    for (const forget of forgets) forget();
  };
}

/** The address of what both machines show; null until both have a link. */
function addressOf({ a, b, store }: Pair): CompareAddress | null {
  const [packedA, packedB] = [a.store.getState().packed, b.store.getState().packed];
  if (packedA === null || packedB === null) return null;
  const { alignment, ...range } = store.getState();
  const [from, to] = [writeSteps(range.from), writeSteps(range.to)];
  const by = writeAlignment(alignment);
  return { page: "compare", a: packedA, b: packedB, by, from, to };
}

const isShown = (pair: Pair, to: CompareAddress) => {
  const shown = addressOf(pair);
  return shown !== null && writeFragment(shown) === writeFragment(to);
};

/** Writes the present moments of both to the address. */
export function useAddress(pair: Pair): void {
  useEffect(() => {
    const write = () => {
      // Playback would write the address many times a second.
      if (pair.store.getState().isPlaying) return;
      const address = addressOf(pair);
      if (!address || readFragment(location.hash).page !== "compare") return;
      if (urlOf(address).length <= MOST_OFFERED) replaceAddress(address);
      else if (pair.store.getState().notice === "") pair.store.setState({ notice: PAGE.noLink });
    };
    const forgets = [pair.a.store, pair.b.store].map((store) =>
      store.subscribe((state, before) => {
        if (state.packed !== before.packed) write();
      }),
    );
    forgets.push(
      pair.store.subscribe((state, before) => {
        const isSame =
          state.alignment === before.alignment &&
          state.isPlaying === before.isPlaying &&
          state.from === before.from &&
          state.to === before.to;
        if (!isSame) write();
      }),
    );
    return () => {
      for (const forget of forgets) forget();
    };
  }, [pair]);
}
