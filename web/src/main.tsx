// Start-up only: theme, pages.

import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./styles/index.css";
import { isHosted } from "./lessons/hosted";
import { embedOf } from "./link/router";
import { startOffline } from "./offline/newer";
import { Pages } from "./shown";
import { fontsThere } from "./ui/fonts";

const root = document.getElementById("root");
if (!root) throw new Error("web/index.html has no element #root");
// The engine starts first, because it loads while the page is built.
const pages = new Pages();
const newer = embedOf(pages.shown().address) || isHosted() ? null : startOffline();
// A separate task lets the browser draw between loading and rendering. Top-level await would do the
// same, but would keep the bundler from merging this module with others.
setTimeout(async () => {
  const page = createRoot(root);
  await fontsThere('400 1em "Plex Sans"', '500 1em "Plex Mono"');
  startTransition(() =>
    page.render(
      <StrictMode>
        <App pages={pages} newer={newer} />
      </StrictMode>,
    ),
  );
});
