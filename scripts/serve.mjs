// Serves dist/ unchanged, under a sub-path if one is given. The tests use this server.

import { readOptions, readPort } from "./lib/arguments.mjs";
import { dist, runMain } from "./lib/project.mjs";
import { listen, staticServer } from "./lib/server.mjs";

await runMain(async () => {
  const options = readOptions(process.argv.slice(2), { port: "4173", base: "/" });
  const server = staticServer({ folder: dist, base: options.base ?? "/" });
  const port = await listen(server, { port: readPort(options.port) });
  console.log(`http://127.0.0.1:${port}${options.base}`);
});
