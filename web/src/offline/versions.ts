// Which files of which version are kept. Each version has a cache of its own; those of earlier ones
// stay until no tab shows them.

/** What is needed of a tab. */
export interface Tab {
  readonly url: string;
  postMessage(message: unknown, transfer: Transferable[]): void;
}

/** What the service worker asks each tab; a tab answers with the address of the script it began with, whose
 * name has a hash of all that it may load later. */
export const WHICH_PAGE = "which page";
/** What a page tells the service worker when it has begun: another may have ended. */
export const PAGE_BEGAN = "a page began";

/** A tab that has not answered by then shows an earlier version, as far as anybody knows, ms. */
const PATIENCE_MS = 3000;

/** The cache of a version: it is named by the list of its files. */
export const cacheOf = (scope: string, files: unknown): string =>
  `mmscope ${scope} ${hash(JSON.stringify(files))}`;

/** FNV-1a; names are all it tells apart. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  }
  return (state >>> 0).toString(16).padStart(8, "0");
}

/** The caches of other versions of this page, also as versions before this one named theirs. */
export const cachesOfOthers = (
  names: readonly string[],
  scope: string,
  own: string,
): readonly string[] =>
  names.filter(
    (name) =>
      name !== own &&
      (name.startsWith(`mmscope ${scope} `) || name === `workbox-precache-v2-${scope}`),
  );

/** Do all tabs show the version with these files? One that does not say so may show another. */
export async function showAll(
  tabs: readonly Tab[],
  scope: string,
  files: ReadonlySet<string>,
): Promise<boolean> {
  const own = tabs.filter(({ url }) => url.startsWith(scope));
  const scripts = await Promise.all(own.map(askScript));
  return scripts.every((script) => script !== null && files.has(script));
}

function askScript(tab: Tab): Promise<string | null> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => resolve(null), PATIENCE_MS);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      port1.close();
      resolve(typeof data === "string" ? data : null);
    };
    tab.postMessage(WHICH_PAGE, [port2]);
  });
}
