import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

const root = document.getElementById("root");
if (!root) throw new Error("web/index.html has lost its #root");
createRoot(root).render(
  <StrictMode>
    <h1>mmscope</h1>
  </StrictMode>,
);
