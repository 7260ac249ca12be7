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
if (!root) throw new Error("web/index.html has lost its #root");
// The engine starts at once, and the page as soon as it can be read.
const pages = new Pages();
const newer = embedOf(pages.shown().address) || isHosted() ? null : startOffline();
// A page is built in parts between which the browser may draw, not in one long task with what loads
// it. (A module that itself waits would keep the builder from putting others together with it.)
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
