// Copies the comparison with real kernels next to index.html. Making it takes a minute, so a
// separate command makes it, and the build includes it if it exists.

import { existsSync, readFileSync } from "node:fs";
import { truthFile } from "../project.mjs";

const NAME = "truth.json";

/** @returns {import("vite").Plugin} */
export function truth() {
  return {
    name: "mmscope:truth",
    generateBundle() {
      if (!existsSync(truthFile)) return;
      this.emitFile({ type: "asset", fileName: NAME, source: readFileSync(truthFile) });
    },
    configureServer(server) {
      server.middlewares.use(`/${NAME}`, (_request, response) => {
        const isMade = existsSync(truthFile);
        response.statusCode = isMade ? 200 : 404;
        response.setHeader("Content-Type", "application/json");
        response.end(isMade ? readFileSync(truthFile) : "");
      });
    },
  };
}
