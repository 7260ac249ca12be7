// Builds code that loads its workers and files by address into a single file.

import { readFileSync } from "node:fs";

const WORKER =
  /new Worker\(\s*new URL\("(\.[^"]+\.worker\.ts)", import\.meta\.url\),\s*\{\s*type: "module",?\s*\}\s*,?\s*\)/g;
const JSON_URL = /\.json\?url$/;

/**
 * A worker becomes part of the module that starts it, and a JSON file becomes part of the module
 * that fetches it.
 * @returns {import("vite").Plugin}
 */
export function oneFile() {
  return {
    name: "mmscope:one-file",
    enforce: "pre",
    transform(code, id) {
      if (!/\.tsx?$/.test(id) || !code.includes("new Worker(")) return;
      /** @type {string[]} */
      const imports = [];
      const inlined = code.replace(WORKER, (_, path) => {
        const name = `InlineWorker${imports.length}`;
        imports.push(`import ${name} from "${path}?worker&inline";`);
        return `new ${name}()`;
      });
      if (/new Worker\(\s*new URL/.test(inlined)) {
        throw new Error(`${id} starts a worker in a form that this plugin does not know.`);
      }
      return { code: `${imports.join("")}${inlined}`, map: null };
    },
    load(id) {
      if (!JSON_URL.test(id)) return;
      const text = JSON.stringify(readFileSync(id.replace(/\?url$/, ""), "utf8"));
      return `export default URL.createObjectURL(new Blob([${text}], { type: "application/json" }));`;
    },
  };
}

/**
 * The frame's script gets the address of the engine's module from the host page.
 * @returns {import("vite").Plugin}
 */
export function engineFromHost() {
  return {
    name: "mmscope:engine-from-host",
    enforce: "pre",
    load(id) {
      if (!id.endsWith("mmscope_bg.wasm?url")) return;
      return "export default window.mmscope.engineUrl;";
    },
  };
}
