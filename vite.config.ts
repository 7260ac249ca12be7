import { fileURLToPath } from "node:url";
import mdx from "@mdx-js/rollup";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { devPolicy } from "./scripts/lib/vite/dev-policy.mjs";
import { docs } from "./scripts/lib/vite/docs.mjs";
import { engineReload } from "./scripts/lib/vite/engine-reload.mjs";
import { glossary, readEntries } from "./scripts/lib/vite/glossary.mjs";
import { licences } from "./scripts/lib/vite/licences.mjs";
import { offline } from "./scripts/lib/vite/offline.mjs";
import { truth } from "./scripts/lib/vite/truth.mjs";
import { markTerms } from "./web/src/lessons/terms.ts";

const root = fileURLToPath(new URL(".", import.meta.url));
const licence = licences();
/** A plugin for remark that marks the terms in lessons; other texts stay as they are. */
const terms = () => (tree: object, file: { extname?: string | undefined }) => {
  if (file.extname === ".mdx") markTerms(tree, readEntries());
};

export default defineConfig({
  root: "web",
  // Relative addresses: the page works from any static host, under any sub-path.
  base: "./",
  // The cache is in the project's node_modules: a node_modules in web/ would look like a separate
  // project.
  cacheDir: "../node_modules/.vite",
  // Lessons and docs become components when the page is built; the browser loads the MDX parser
  // only if the user opens a folder. A new lesson's template is taken as text.
  plugins: [
    { enforce: "pre", ...mdx({ remarkPlugins: [docs, terms], exclude: /lesson-template/ }) },
    react(),
    devPolicy(),
    engineReload(),
    glossary(),
    truth(),
    offline(licence.collect),
    licence.write(),
  ],
  server: { fs: { allow: [".."] } },
  worker: { format: "es", plugins: () => [licence.collect()] },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    // The page's policy forbids inline scripts and data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The manifest says which file imports which: scripts/lib/sizes.mjs adds up the files that the
    // first figure needs.
    manifest: true,
  },
  test: {
    dir: root,
    // The default, one fewer than the number of processors, would leave one of two processors idle.
    maxWorkers: "100%",
    // A busy machine may be slow: a test waits for a condition as long as the test may take.
    testTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          environment: "node",
          include: ["web/src/**/*.test.ts", "lessons/**/*.test.ts", "scripts/**/*.test.mjs"],
        },
      },
      {
        extends: true,
        test: {
          name: "dom",
          environment: "jsdom",
          include: ["web/src/**/*.test.tsx"],
          setupFiles: [`${root}scripts/lib/vite/dom-test-setup.mjs`],
        },
      },
    ],
  },
});
