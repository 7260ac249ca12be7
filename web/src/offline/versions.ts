// Decides which versions keep their files. Each version has its own cache; the caches of earlier
// versions stay until no tab shows these versions.

/** The parts of a tab that are needed. */
export interface Tab {
  readonly url: string;
  postMessage(message: unknown, transfer: Transferable[]): void;
}

/** The question of the service worker to each tab. A tab answers with the address of the script
    that it started with, whose name contains a hash of all files that it may load later. */
export const WHICH_PAGE = "which page";
/** The message of a page that has started; another page may have ended at the same time. */
export const PAGE_BEGAN = "a page began";

/** A tab that has not answered within this time may show an earlier version, ms. */
const PATIENCE_MS = 3000;

/** The cache of a version, named by a hash of its list of files. */
export const cacheOf = (scope: string, files: unknown): string =>
  `mmscope ${scope} ${hash(JSON.stringify(files))}`;

/** FNV-1a; the hash only has to distinguish names. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  }
  return (state >>> 0).toString(16).padStart(8, "0");
}

/** The caches of other versions of this page, including those with the names of former versions. */
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

/**
 * Do all tabs show the version with these files? A tab that does not answer may show another
 * version.
 */
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
