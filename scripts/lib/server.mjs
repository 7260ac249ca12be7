// A small server for static files, as plain as any host that the page must work on.

import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { Refusal } from "./project.mjs";

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/** Bytes that a slow line sends at once. */
const CHUNK = 8192;

/** The number of ports to try above the requested port. */
const PORT_TRIES = 50;

/**
 * The file of a request, or undefined; never a file outside `folder`.
 * @param {string} folder
 * @param {string} path the URL's path below the base, percent-encoded
 * @returns {string | undefined}
 */
function fileFor(folder, path) {
  let decoded;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const file = join(folder, decoded);
  if (decoded.includes("\0") || !(file + sep).startsWith(join(folder, sep))) return undefined;
  if (!existsSync(file)) return undefined;
  if (!statSync(file).isDirectory()) return file;
  const index = join(file, "index.html");
  return existsSync(index) ? index : undefined;
}

/**
 * @param {object} options
 * @param {string} options.folder
 * @param {string} [options.base] the sub-path of the files, as "/mmscope/"
 * @param {Line} [options.line] sends compressed data over this line, as a distant host does
 * @returns {import("node:http").Server}
 */
export function staticServer({ folder, base = "/", line }) {
  return createServer((request, response) => {
    const path = (request.url ?? "/").split(/[?#]/, 1)[0] ?? "/";
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return;
    }
    if (!path.startsWith(base)) {
      if (path === "/" || `${path}/` === base) response.writeHead(302, { location: base }).end();
      else refuse(response);
      return;
    }
    const file = fileFor(folder, path.slice(base.length));
    if (file === undefined) return refuse(response);
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    const headers = {
      "content-type": type,
      "content-length": statSync(file).size,
      "cache-control": cacheControl(path),
    };
    if (line && request.method === "GET") {
      const body = gzipSync(readFileSync(file));
      const packed = { "content-length": body.length, "content-encoding": "gzip" };
      void line.send(response.writeHead(200, { ...headers, ...packed }), body);
      return;
    }
    response.writeHead(200, headers);
    if (request.method === "HEAD") response.end();
    else createReadStream(file).pipe(response);
  });
}

/**
 * Vite writes a hash of the content into the names of files in assets/. Such a file never changes,
 * so a browser that has the file need not request it again. A browser revalidates all other files.
 * @param {string} path
 */
const cacheControl = (path) =>
  /\/assets\/[^/]+-[\w-]{8}\.\w+$/.test(path) ? "public, max-age=31536000, immutable" : "no-cache";

/** A line of limited speed, shared by all its transfers: pages and workers alike. */
export class Line {
  #bytesPerMs;
  #freeAt_ms = 0;

  /** @param {number} mbitPerS */
  constructor(mbitPerS) {
    this.#bytesPerMs = (mbitPerS * 1e6) / 8 / 1000;
  }

  /**
   * @param {import("node:http").ServerResponse} response
   * @param {Buffer} body
   */
  async send(response, body) {
    for (let at = 0; at < body.length; at += CHUNK) {
      const chunk = body.subarray(at, at + CHUNK);
      const from_ms = Math.max(performance.now(), this.#freeAt_ms);
      this.#freeAt_ms = from_ms + chunk.length / this.#bytesPerMs;
      await new Promise((resolve) => setTimeout(resolve, this.#freeAt_ms - performance.now()));
      response.write(chunk);
    }
    response.end();
  }
}

/** @param {import("node:http").ServerResponse} response */
function refuse(response) {
  response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("not found\n");
}

/**
 * Listens on the requested port or the next free one.
 * @param {import("node:http").Server} server
 * @param {{ port: number, host?: string }} wanted
 * @returns {Promise<number>} the port
 */
export async function listen(server, { port, host = "127.0.0.1" }) {
  for (let tried = port; tried < port + PORT_TRIES; tried += 1) {
    const error = await new Promise((resolve) => {
      server.once("error", resolve);
      server.listen(tried, host, () => resolve(undefined));
    });
    server.removeAllListeners("error");
    if (error === undefined)
      return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
    if (error.code !== "EADDRINUSE")
      throw new Refusal(`Cannot serve on port ${tried}: ${error.message}.`);
  }
  throw new Refusal(`No free port from ${port} to ${port + PORT_TRIES - 1}.`);
}

/**
 * @param {number} from
 * @returns {Promise<number>} the first free port from there
 */
export async function freePort(from) {
  const server = createServer();
  const port = await listen(server, { port: from });
  await new Promise((resolve) => server.close(resolve));
  return port;
}
