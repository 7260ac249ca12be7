// The npm package as its users get it: packed, installed in an empty folder, and opened in each kind of
// host. Every host ends at the state hash of the native engine.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { build } from "vite";
import { localBin, packageDir, root } from "../scripts/lib/project.mjs";

test.describe.configure({ mode: "serial", timeout: 120_000 });

const PRESET = "first-touch.teach";

/** The hash at the end of the run, which the tests of the native engine keep. */
function nativeHash(): string {
  const file = join(root, "engine", "mm", "tests", "data", "hashes.txt");
  const lines = readFileSync(file, "utf8").split("\n");
  const last = lines.filter((line) => line.startsWith(`${PRESET} `)).at(-1);
  return last?.split(" ")[2] ?? "no hash";
}

let folder: string;
let server: Server;
let site: string;

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
};

/** A static host without any special header. */
async function serve(): Promise<string> {
  server = createServer((request, answer) => {
    const path = join(folder, decodeURI(new URL(request.url ?? "/", "http://host").pathname));
    if (!existsSync(path)) {
      answer.writeHead(404).end();
      return;
    }
    answer.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
    answer.end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server without a port");
  return `http://127.0.0.1:${address.port}`;
}

const npm = (args: readonly string[], cwd: string): string =>
  execFileSync("npm", args, { cwd, encoding: "utf8" });

/** Writes a page whose script leaves a promise of a state hash. */
function host(name: string, script: string, body = '<div id="machine"></div>'): string {
  const html = `<!doctype html><html lang="en"><title>Host</title><style>html { font-size: 9px } button { background: red }</style><link rel="icon" href="data:,"><h1>Host</h1>${body}<script type="module">${script}</script></html>`;
  writeFileSync(join(folder, name), html);
  return `${site}/${name}`;
}

/** The result of the script of the host page. */
async function found(page: Page): Promise<unknown> {
  await page.waitForFunction(() => "found" in window);
  return page.evaluate(() => (window as unknown as { found: Promise<unknown> }).found);
}

/** Console messages of the page and requests to other hosts. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(blob|data|about):/.test(url) && !url.startsWith(site)) complaints.push(url);
  });
  return complaints;
}

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mmscope-package-"));
  const packed = JSON.parse(
    npm(["pack", "--json", "--pack-destination", folder, packageDir], folder),
  );
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  npm(["install", "--offline", "--no-audit", "--no-fund", `./${filename}`], folder);
  site = await serve();
});

test.afterAll(() => {
  server?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const MODULE = "/node_modules/mmscope/dist/mmscope.js";

test("shows a machine in a plain page, with the hash of the native engine", async ({ page }) => {
  const complaints = complaintsOf(page);
  const url = host(
    "plain.html",
    `import { mount } from "${MODULE}";
     const before = getComputedStyle(document.querySelector("h1")).font;
     const machine = mount(document.querySelector("#machine"), "${PRESET}", { height: 520 });
     const states = [];
     machine.onState((state) => states.push(state));
     const first = machine.ready;
     window.machine = machine;
     window.found = first.then(async (begun) => {
       const end = await machine.go("end");
       const link = await machine.link();
       return { begun, end, hash: await machine.hash(), link, states: states.length,
         isStyled: getComputedStyle(document.querySelector("h1")).font !== before };
     });`,
  );
  await page.goto(url);
  const { begun, end, hash, link, states, isStyled } = Object(await found(page));
  expect(begun).toMatchObject({ step: 0, ended: false });
  expect(end).toMatchObject({ ended: true, hash: nativeHash() });
  expect(hash).toBe(nativeHash());
  expect(link).toMatch(/^#\/workbench\?x=[\w-]+$/);
  expect(states).toBeGreaterThan(0);
  expect(isStyled).toBe(false);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: "Step back" }).click();
  await expect(frame.getByRole("button", { name: "Step", exact: true })).toBeEnabled();
  await expect(frame.getByRole("region", { name: "Timeline" })).toBeVisible();
  await expect(frame.getByRole("button", { name: "Bookmarks" })).toBeHidden();
  await page.evaluate(() => Object(window).machine.destroy());
  await expect(page.locator("iframe")).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test("shows the reasons when the engine refuses an experiment", async ({ page }) => {
  await page.goto(
    host(
      "refused.html",
      `import { mount } from "${MODULE}";
       const machine = mount(document.querySelector("#machine"), { kernel: "9.9" });
       window.found = machine.ready.then(() => "opened", (error) => error.message);`,
    ),
  );
  expect(await found(page)).toContain("machine: this field is missing");
  const notice = page.frameLocator("iframe").getByRole("alert");
  await expect(notice).toContainText("This experiment cannot be opened");
  await expect(notice).toContainText("machine: this field is missing");
});

test("shows the same moment again after the host page has moved its element", async ({ page }) => {
  await page.goto(
    host(
      "moved.html",
      `import { mount } from "${MODULE}";
       const machine = mount(document.querySelector("#machine"), "${PRESET}");
       window.found = machine.go("end").then(async () => {
         document.querySelector("#other").append(document.querySelector("#machine"));
         await new Promise((passed) => setTimeout(passed, 500));
         return machine.hash();
       });`,
      '<div id="machine"></div><section id="other"></section>',
    ),
  );
  expect(await found(page)).toBe(nativeHash());
});

test("works in a page that a bundler has built", async ({ page }) => {
  const complaints = complaintsOf(page);
  const app = join(folder, "app");
  mkdirSync(app);
  writeFileSync(
    join(app, "index.html"),
    '<!doctype html><title>App</title><link rel="icon" href="data:,"><div id="machine"></div><script type="module" src="./main.js"></script>',
  );
  writeFileSync(
    join(app, "main.js"),
    `import { mount } from "mmscope";
     window.found = mount(document.querySelector("#machine"), "${PRESET}", { at: "end" }).hash();`,
  );
  await build({ root: app, base: "./", configFile: false, logLevel: "error" });
  await page.goto(`${site}/app/dist/index.html`);
  expect(await found(page)).toBe(nativeHash());
  expect(complaints).toEqual([]);
});

test("answers the messages of the page that contains its frame", async ({ page }) => {
  const complaints = complaintsOf(page);
  const address = `/node_modules/mmscope/embed.html#/workbench?preset=${PRESET}&theme=dark&at=end`;
  await page.goto(
    host(
      "framed.html",
      `const frame = document.querySelector("#frame");
       const next = (id) => new Promise((resolve) => addEventListener("message", ({ source, data }) => {
         if (source === frame.contentWindow && data.id === id) resolve(data);
       }));
       const ask = (message) => {
         frame.contentWindow.postMessage(message, "*");
         return next(message.id);
       };
       window.found = (async () => {
         const shown = await next(undefined);
         const state = await ask({ mmscope: "state", id: 1 });
         const start = await ask({ mmscope: "go", at: "start", id: 2 });
         const opened = await ask({ mmscope: "open", experiment: "anon-hog.teach", id: 3 });
         const fault = await ask({ mmscope: "open", experiment: "nothing.teach", id: 4 });
         return { shown, state, start, opened, fault };
       })();`,
      `<iframe id="frame" title="A machine" src="${address}" width="700" height="500"></iframe>`,
    ),
  );
  const { shown, state, start, opened, fault } = Object(await found(page));
  expect(shown.state).toMatchObject({ ended: true, hash: nativeHash() });
  expect(state.state.hash).toBe(nativeHash());
  expect(start.state.step).toBe(0);
  expect(opened.state.title).toContain("hog");
  expect(fault.fault).toContain('no ready-made experiment "nothing.teach"');
  const inner = page.frameLocator("#frame").frameLocator("iframe");
  await expect(inner.locator("html")).toHaveAttribute("data-theme", "dark");
  expect(complaints).toEqual([]);
});

/** Imports a module as anywidget does in Jupyter: from its text, under an address that is then revoked. */
const AS_ANYWIDGET = `
  const text = await (await fetch("${MODULE}")).text();
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  URL.revokeObjectURL(url);`;

test("is an anywidget with a trait `hash` that follows the displayed state", async ({ page }) => {
  const complaints = complaintsOf(page);
  await page.goto(
    host(
      "anywidget.html",
      `${AS_ANYWIDGET}
       class Model {
         #values = { experiment: "${PRESET}", at: "end", hash: "", height: 400, theme: "auto", controls: null };
         #listeners = new Map();
         saved = [];
         get(name) { return this.#values[name]; }
         set(name, value) { this.#values[name] = value; this.#tell("change:" + name); }
         save_changes() { this.saved.push(this.get("hash")); this.#tell("saved"); }
         on(name, listener) { this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]); }
         off(name, listener) { this.#listeners.set(name, this.#listeners.get(name).filter((each) => each !== listener)); }
         #tell(name) { for (const listener of this.#listeners.get(name) ?? []) listener(); }
         listens(name) { return (this.#listeners.get(name) ?? []).length; }
       }
       const model = new Model();
       const saved = () => new Promise((resolve) => model.on("saved", () => resolve(model.get("hash"))));
       const first = saved();
       const end = widget.render({ model, el: document.querySelector("#machine") });
       window.found = (async () => {
         const hash = await first;
         const second = saved();
         model.set("experiment", "anon-hog.teach");
         const other = await second;
         end();
         return { hash, other, listeners: model.listens("change:experiment"),
           frames: document.querySelectorAll("iframe").length };
       })();`,
    ),
  );
  const { hash, other, listeners, frames } = Object(await found(page));
  expect(hash).toBe(nativeHash());
  expect(other).toMatch(/^[0-9a-f]{16}$/);
  expect(other).not.toBe(hash);
  expect({ listeners, frames }).toEqual({ listeners: 0, frames: 0 });
  expect(complaints).toEqual([]);
});

/** Builds a page with MyST and returns its directive: the address of the module, and the model. */
function directiveOf(text: string): { esm: string; model: unknown } {
  const book = join(folder, "book");
  mkdirSync(join(book, "theme"), { recursive: true });
  cpSync(join(folder, MODULE), join(book, "mmscope.js"));
  writeFileSync(join(book, "index.md"), text);
  writeFileSync(
    join(book, "myst.yml"),
    "version: 1\nproject:\n  title: Book\nsite:\n  template: ./theme\n",
  );
  writeFileSync(
    join(book, "theme", "template.yml"),
    'jtex: v1\ntitle: Theme\nversion: 1.0.0\nlicense: MIT\nsource: https://localhost/theme\nbuild:\n  install: "true"\n  start: "true"\n',
  );
  execFileSync(localBin("myst"), ["build", "--site"], { cwd: book, encoding: "utf8" });
  const content = readFileSync(join(book, "_build", "site", "content", "index.json"), "utf8");
  const [node] = JSON.parse(content).mdast.children.flatMap(
    (block: { children: { type: string }[] }) =>
      block.children.filter(({ type }) => type === "anywidget"),
  );
  return node;
}

test("shows the machine of a MyST directive", async ({ page }) => {
  const { esm, model } = directiveOf(
    `# Page\n\n:::{anywidget} ./mmscope.js\n{ "experiment": "${PRESET}", "at": "end" }\n:::\n`,
  );
  const module = `/book/_build/site/public${esm}`;
  // As in the themes of MyST: in a shadow root, with a model without save and forget functions.
  await page.goto(
    host(
      "myst.html",
      `const { default: widget } = await import(${JSON.stringify(module)});
       const values = ${JSON.stringify(model)};
       const refuse = () => { throw new Error("not implemented"); };
       window.found = new Promise((resolve) => {
         const model = {
           get: (name) => values[name],
           set: (name, value) => { values[name] = value; if (name === "hash") resolve(value); },
           on: () => {}, off: refuse, save_changes: refuse,
         };
         const shadow = document.querySelector("#machine").attachShadow({ mode: "open" });
         const el = document.createElement("div");
         shadow.append(el);
         window.end = widget.render({ model, el });
       });`,
    ),
  );
  expect(await found(page)).toBe(nativeHash());
  await page.evaluate(() => Object(window).end());
});
