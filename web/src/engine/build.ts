// Identifies the engine build of this page: the module's file name ends with a hash of its content.

import engineUrl from "./pkg/mmscope_bg.wasm?url";

const nameOf = (url: string) => url.split("/").at(-1) ?? url;

/** Two pages with the same value have engines that compute the same numbers. During development
    files have no hash, so each load of the page gets a different value. */
export const engineBuild: string = import.meta.env.DEV ? `dev-${Date.now()}` : nameOf(engineUrl);
