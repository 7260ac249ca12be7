// Vite's dev server puts scripts and styles into the page and uses a socket. This policy allows that for
// the dev server only; the built page has the strict Content-Security-Policy of web/index.html.

const DEV_POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ws: wss:";

const POLICY_META = /(http-equiv="Content-Security-Policy"\s+content=")[^"]*(")/;

/** @returns {import("vite").Plugin} */
export function devPolicy() {
  return {
    name: "mmscope:dev-policy",
    apply: "serve",
    transformIndexHtml: (html) => html.replace(POLICY_META, `$1${DEV_POLICY}$2`),
  };
}
