// Start-up only: theme, pages.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./styles/index.css";
import { Pages } from "./pages";
import { restoreTheme } from "./ui/theme";

const root = document.getElementById("root");
if (!root) throw new Error("web/index.html has lost its #root");
restoreTheme();
createRoot(root).render(
  <StrictMode>
    <App pages={new Pages()} />
  </StrictMode>,
);
