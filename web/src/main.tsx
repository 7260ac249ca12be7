// Start-up only: theme, engine, page.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles/index.css";
import { restoreTheme } from "./ui/theme";
import { WorkbenchContext } from "./workbench/context";
import { Workbench } from "./workbench/controller";
import { Page } from "./workbench/Page";

const root = document.getElementById("root");
if (!root) throw new Error("web/index.html has lost its #root");
restoreTheme();
const workbench = new Workbench();
createRoot(root).render(
  <StrictMode>
    <WorkbenchContext value={workbench}>
      <Page />
    </WorkbenchContext>
  </StrictMode>,
);
