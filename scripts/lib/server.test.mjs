import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen, staticServer } from "./server.mjs";

const folder = mkdtempSync(join(tmpdir(), "mmscope-"));
const dist = join(folder, "dist");
const server = staticServer({ folder: dist, base: "/sub/" });
let port = 0;

beforeAll(async () => {
  mkdirSync(join(dist, "assets"), { recursive: true });
  mkdirSync(join(folder, "dist-secret"));
  writeFileSync(join(dist, "index.html"), "<p>hello");
  writeFileSync(join(dist, "assets", "engine.wasm"), "\0asm");
  writeFileSync(join(folder, "dist-secret", "key"), "secret");
  port = await listen(server, { port: 0 });
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/**
 * Sends the path unchanged, while `fetch` would normalise it.
 * @param {string} path
 * @param {string} [method]
 * @returns {Promise<{ status: number | undefined, headers: import("node:http").IncomingHttpHeaders, body: string }>}
 */
const ask = (path, method = "GET") =>
  new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => {
        body += text;
      });
      response.on("end", () => {
        resolve({ status: response.statusCode, headers: response.headers, body });
      });
    });
    asked.on("error", reject).end();
  });

test("serves files with their types and folders with their index", async () => {
  const page = await ask("/sub/?x=1");
  expect(page).toMatchObject({ status: 200, body: "<p>hello" });
  expect(page.headers["content-type"]).toContain("text/html");
  expect((await ask("/sub/assets/engine.wasm")).headers["content-type"]).toBe("application/wasm");
});

test("lets browsers cache files with hashed names and revalidate all others", async () => {
  writeFileSync(join(dist, "assets", "page-BvN7F-Rp.js"), "1");
  const cached = await ask("/sub/assets/page-BvN7F-Rp.js");
  expect(cached.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  for (const path of ["/sub/", "/sub/assets/engine.wasm"]) {
    expect((await ask(path)).headers["cache-control"]).toBe("no-cache");
  }
});

test("redirects to the sub-path and serves nothing else", async () => {
  expect(await ask("/")).toMatchObject({ status: 302, headers: { location: "/sub/" } });
  expect(await ask("/sub")).toMatchObject({ status: 302, headers: { location: "/sub/" } });
  expect((await ask("/other")).status).toBe(404);
  expect((await ask("/sub/assets/")).status).toBe(404);
});

test.each([
  "/sub/../dist-secret/key",
  "/sub/%2e%2e/dist-secret/key",
  "/sub/..%2fdist-secret%2fkey",
  "/sub/../../../../../../etc/passwd",
  "/sub/index.html%00",
  "/sub/%",
])("serves nothing outside the folder: %s", async (path) => {
  expect((await ask(path)).status).toBe(404);
});

test("answers HEAD without a body and refuses POST", async () => {
  expect(await ask("/sub/", "HEAD")).toMatchObject({ status: 200, body: "" });
  expect((await ask("/sub/", "POST")).status).toBe(405);
});

test("uses the next port if one is in use", async () => {
  const other = staticServer({ folder: dist });
  expect(await listen(other, { port })).toBeGreaterThan(port);
  other.close();
});
