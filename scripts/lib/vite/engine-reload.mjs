// While `npm run dev` runs, saving a .rs file rebuilds the engine, then reloads the page.

import { extname, join } from "node:path";
import { buildEngine } from "../builds.mjs";
import { engineDir, Refusal } from "../project.mjs";

const QUIET_MS = 100;
/** The crates that the engine's module contains. */
const ENGINE_PARTS = [
  "capture",
  "derive",
  "explain",
  "facts",
  "mm",
  "picture",
  "reports",
  "trace",
  "wasm",
];

/** @returns {import("vite").Plugin} */
export function engineReload() {
  return {
    name: "mmscope:engine-reload",
    apply: "serve",
    configureServer(server) {
      if (process.env.VITEST) return;
      const rebuild = oneAtATime(async () => {
        try {
          await buildEngine("dev");
          server.ws.send({ type: "full-reload" });
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          const message = "The engine did not build: the terminal says why.";
          server.ws.send({ type: "error", err: { message, stack: "" } });
        }
      });
      server.watcher.add(ENGINE_PARTS.map((crate) => join(engineDir, crate)));
      server.watcher.on("all", (_event, path) => {
        if (path.startsWith(engineDir) && [".rs", ".toml"].includes(extname(path))) rebuild();
      });
    },
  };
}

/**
 * Calls during a run, or in quick succession, cause only one more run.
 * @param {() => Promise<void>} work
 * @returns {() => void}
 */
function oneAtATime(work) {
  let isRunning = false;
  let isDue = false;
  const go = async () => {
    if (isRunning) return;
    isRunning = true;
    while (isDue) {
      isDue = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isDue = true;
    setTimeout(go, QUIET_MS);
  };
}
