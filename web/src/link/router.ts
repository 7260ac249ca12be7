// The hash router: one document in the fragment, `#/workbench?x=...`, so that nothing of it reaches
// a server and the page works from any folder of any host.

/** Where the page is. */
export interface Place {
  readonly page: "workbench";
  /** The packed link, when the address holds one. */
  readonly x: string | null;
}

/** Reads a fragment; anything unknown is the empty workbench. */
export function readFragment(fragment: string): Place {
  const [, query = ""] = /^#\/workbench(?:\?(.*))?$/s.exec(fragment) ?? [];
  const x = /(?:^|&)x=([^&]*)/s.exec(query)?.[1];
  return { page: "workbench", x: x ? x : null };
}

/** Writes a fragment. */
export function writeFragment({ page, x }: Place): string {
  return x === null ? `#/${page}` : `#/${page}?x=${x}`;
}

/** The whole address of a place. */
export function addressOf(place: Place): string {
  return new URL(writeFragment(place), location.href).href;
}

/**
 * Calls back when the person goes to another place by editing the address, a link or the browser's
 * back button; not when the page itself replaces the address.
 */
export function watchPlace(changed: (place: Place) => void): () => void {
  const listen = () => changed(readFragment(location.hash));
  addEventListener("hashchange", listen);
  return () => removeEventListener("hashchange", listen);
}

/** Shows a place in the address bar without a new entry in the history. */
export function replacePlace(place: Place): void {
  const fragment = writeFragment(place);
  if (location.hash !== fragment) history.replaceState(null, "", fragment);
}
