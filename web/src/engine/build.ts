// Which build of the engine this page has: a file's name ends with a hash of what is in it.

import firstUrl from "./pkg/mmscope_bg.wasm?url";
import procfsUrl from "./pkg/mmscope_procfs_bg.wasm?url";
import wholeUrl from "./pkg/mmscope_whole_bg.wasm?url";

const nameOf = (url: string) => url.split("/").at(-1) ?? url;

/** Says of two pages whether their engines give the same numbers. While somebody works on it files
 * have no hash: then no two pages are the same. */
export const engineBuild: string = import.meta.env.DEV
  ? `dev-${Date.now()}`
  : [firstUrl, wholeUrl, procfsUrl].map(nameOf).join("+");
