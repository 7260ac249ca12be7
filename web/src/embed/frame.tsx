// The script of the frame: shows one machine and answers its host.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createStore } from "zustand/vanilla";
import { WorkbenchContext } from "../app/context";
import { Workbench } from "../app/controller";
import { fontsThere } from "../ui/fonts";
import { holdTheme } from "../ui/theme";
import "../styles/index.css";
import "./frame.css";
import { Driver } from "./driver";
import { Framed } from "./Framed";
import type { Outside } from "./inside";
import { leadOut } from "./lead-out";

async function start(outside: Outside): Promise<void> {
  const root = document.getElementById("root");
  if (!root) throw new Error("the frame has no element #root");
  holdTheme(outside.theme);
  leadOut(outside.site);
  const workbench = new Workbench(undefined, { ownsAddress: false, isEmbedded: false });
  const driver = new Driver(workbench);
  const fault = createStore<string | null>(() => null);
  await fontsThere('400 1em "Plex Sans"', '500 1em "Plex Mono"');
  const page = createRoot(root);
  page.render(
    <StrictMode>
      <WorkbenchContext value={workbench}>
        <Framed fault={fault} options={outside} />
      </WorkbenchContext>
    </StrictMode>,
  );
  outside.ready({
    open: (experiment, at) => driver.open(experiment, at),
    go: (at) => driver.go(at),
    state: () => driver.state(),
    hash: async () => (await driver.state()).hash,
    link: () => driver.link(),
    onState: (listener) => driver.onState(listener),
    refuse: (text) => fault.setState(text, true),
    destroy: () => {
      page.unmount();
      driver.destroy();
    },
  });
}

if (window.mmscope) void start(window.mmscope);
