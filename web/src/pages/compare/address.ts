// The address of the page: it opens both machines, and follows them.

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
} from "../../link/router";
import { type Fault, knownTo, openAddress } from "./setup";
import { PAGE } from "./words";

/** Opens the machines of an address once both engines are ready, and again when a person changes it. */
export function useOpenAddress(pair: Pair, address: CompareAddress): Fault | null {
  const [fault, setFault] = useState<Fault | null>(null);
  const [first] = useState(address);
  useEffect(() => {
    let isGone = false;
    const open = async (to: CompareAddress) => {
      const known = knownTo(pair.a);
      if (!known || !knownTo(pair.b)) return;
      const found = await openAddress(pair, known, to);
      if (!isGone) setFault(found);
    };
    const forget = whenReady(pair, () => void open(first));
    const unwatch = watchAddress((to) => {
      if (to.page === "compare" && !isShown(pair, to)) void open(to);
    });
    return () => {
      isGone = true;
      forget();
      unwatch();
    };
  }, [pair, first]);
  return fault;
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

const isShown = ({ a, b, store }: Pair, to: CompareAddress) =>
  to.a === a.store.getState().packed &&
  to.b === b.store.getState().packed &&
  to.by === writeAlignment(store.getState().alignment);

/** Writes the present moments of both to the address. */
export function useAddress(pair: Pair): void {
  useEffect(() => {
    const write = () => {
      const [a, b] = [pair.a.store.getState().packed, pair.b.store.getState().packed];
      if (a === null || b === null || readFragment(location.hash).page !== "compare") return;
      const by = writeAlignment(pair.store.getState().alignment);
      const address: CompareAddress = { page: "compare", a, b, by };
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
        if (state.alignment !== before.alignment) write();
      }),
    );
    return () => {
      for (const forget of forgets) forget();
    };
  }, [pair]);
}
