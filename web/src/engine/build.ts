// Which build of the engine this page has: a file's name ends with a hash of what is in it.

import engineUrl from "./pkg/mmscope_bg.wasm?url";

const nameOf = (url: string) => url.split("/").at(-1) ?? url;

/** Says of two pages whether their engines give the same numbers. While somebody works on it files
 * have no hash: then no two pages are the same. */
export const engineBuild: string = import.meta.env.DEV ? `dev-${Date.now()}` : nameOf(engineUrl);
