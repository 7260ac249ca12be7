// Light or dark: the system's choice until a person makes their own, which is remembered where
// storage allows it.

import { useSyncExternalStore } from "react";
import { STATES } from "../draw/states";
import type { Palette } from "../draw/tile";

const KEY = "mmscope.theme";
const CHANGED = "mmscope:theme";

/** The two themes. */
export type Theme = "light" | "dark";

const media = (query: string) => (typeof matchMedia === "function" ? matchMedia(query) : null);

/** The theme that shows. */
export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return media("(prefers-color-scheme: dark)")?.matches ? "dark" : "light";
}

/** Applies the remembered theme, when there is one. */
export function restoreTheme(): void {
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
  } catch {
    // Without storage the system's theme stays.
  }
}

/** Switches to the other theme. */
export function switchTheme(): void {
  const theme: Theme = currentTheme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice then lasts as long as the page.
  }
  dispatchEvent(new Event(CHANGED));
}

const QUERIES = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"];

function subscribe(changed: () => void): () => void {
  const lists = QUERIES.map(media);
  addEventListener(CHANGED, changed);
  for (const list of lists) list?.addEventListener("change", changed);
  return () => {
    removeEventListener(CHANGED, changed);
    for (const list of lists) list?.removeEventListener("change", changed);
  };
}

/** The theme that shows, kept up to date. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme);

const TOKENS = [
  ...STATES.map(({ token }) => token),
  ...[
    "notch",
    "tile-edge",
    "rule-1",
    "rule-2",
    "ink-1",
    "ink-2",
    "ink-3",
    "ground",
    "panel",
    "wash",
  ],
];

let paletteOf = "";
let colours = "";
let palette: Palette = {};

/** Asking for colours lays the page out, and every canvas asks whenever it was drawn: they are read
 * once for each way of showing. */
function readPalette(): Palette {
  const wanted = QUERIES.map((query) => media(query)?.matches).join() + currentTheme();
  if (wanted === paletteOf) return palette;
  const style = getComputedStyle(document.documentElement);
  const values = TOKENS.map((token) => style.getPropertyValue(`--${token}`).trim());
  // Without a stylesheet there are none yet.
  if (values[0] !== "") paletteOf = wanted;
  if (values.join() !== colours) {
    colours = values.join();
    palette = Object.fromEntries(TOKENS.map((token, i) => [token, values[i] ?? ""]));
  }
  return palette;
}

/** The theme's colours for a canvas; the same object until they change. */
export const usePalette = (): Palette => useSyncExternalStore(subscribe, readPalette);
