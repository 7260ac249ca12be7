// The service worker: one script beside index.html that contains the names of all files of this build.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { build } from "vite";
import { filesBelow } from "../freshness.mjs";
import { root } from "../project.mjs";

/** The script that the page registers. Its name has no hash, because browsers look for a newer version under it. */
const SCRIPT = "offline.js";
/** Files that no page needs to work. */
const LEFT_OUT = /^(offline\.js|LICENSES.*|\.vite\/.*|.*\.map)$/;

/**
 * The service worker's entry for every file of a build. A hash in a name identifies the content; for other
 * names the entry has a hash of the content.
 * @param {string} folder
 */
function filesOf(folder) {
  const names = filesBelow(folder).map((file) => relative(folder, file).split(sep).join("/"));
  return names
    .filter((name) => !LEFT_OUT.test(name))
    .sort()
    .map((url) => {
      const isNamedByContents = /^assets\/.*-[\w-]{8}\.\w+$/.test(url);
      const hash = createHash("sha256")
        .update(readFileSync(join(folder, url)))
        .digest("hex");
      return { url, revision: isNamedByContents ? null : hash.slice(0, 16) };
    });
}

/**
 * @param {() => import("vite").Plugin} collect notes the bundled modules, for their licences
 * @returns {import("vite").Plugin}
 */
export function offline(collect) {
  return {
    name: "mmscope:offline",
    apply: "build",
    async generateBundle() {
      const built = await build({
        configFile: false,
        logLevel: "warn",
        plugins: [collect()],
        define: { "process.env.NODE_ENV": JSON.stringify("production") },
        build: {
          write: false,
          target: "es2022",
          lib: {
            entry: join(root, "web", "src", "offline", "offline.worker.ts"),
            formats: ["iife"],
            name: "offline",
          },
        },
      });
      const outputs = /** @type {import("vite").Rolldown.RolldownOutput[]} */ (built);
      const [chunk] = outputs[0]?.output ?? [];
      if (!chunk) throw new Error("The build made no service worker.");
      this.emitFile({ type: "asset", fileName: SCRIPT, source: chunk.code });
    },
    writeBundle({ dir = "" }) {
      const script = join(dir, SCRIPT);
      const code = readFileSync(script, "utf8");
      const files = JSON.stringify(filesOf(dir));
      const [before, after, ...more] = code.split("self.__FILES");
      if (after === undefined || more.length > 0) throw new Error(`${SCRIPT} lists no files.`);
      writeFileSync(script, `${before}${files}${after}`);
    },
  };
}
