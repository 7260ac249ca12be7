// Light or dark: the system's choice until the user chooses. The choice is stored if storage allows
// it.

import { useSyncExternalStore } from "react";
import { STATES } from "../draw/states";
import type { Palette } from "../draw/tile";
import { inBrowser } from "../stored";
import { watched } from "./watched";

const KEY = "mmscope.theme";
const CHANGED = "mmscope:theme";

/** The two themes. */
export type Theme = "light" | "dark";

const media = (query: string) => (typeof matchMedia === "function" ? matchMedia(query) : null);

/** The theme that is shown. */
export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return media("(prefers-color-scheme: dark)")?.matches ? "dark" : "light";
}

/** Applies the stored theme, if there is one. */
export function restoreTheme(): void {
  const stored = inBrowser.read(KEY);
  if (stored === "light" || stored === "dark") document.documentElement.dataset.theme = stored;
}

/**
 * Shows a theme in place of the reader's choice and stores nothing; "auto" is the system's theme.
 */
export function holdTheme(theme: Theme | "auto"): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Switches to the other theme. */
export function switchTheme(): void {
  const next: Theme = currentTheme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  inBrowser.write(KEY, next);
  dispatchEvent(new Event(CHANGED));
}

/** Shows the light theme, for printing, until the returned function is called. Stores nothing. */
export function lendLight(): () => void {
  const { dataset } = document.documentElement;
  const before = dataset.theme;
  const show = (theme: string | undefined) => {
    if (theme === undefined) delete dataset.theme;
    else dataset.theme = theme;
    dispatchEvent(new Event(CHANGED));
  };
  show("light");
  return () => show(before);
}

const QUERIES = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"];

function listen(changed: () => void): () => void {
  const lists = QUERIES.map(media);
  addEventListener(CHANGED, changed);
  for (const list of lists) list?.addEventListener("change", changed);
  return () => {
    removeEventListener(CHANGED, changed);
    for (const list of lists) list?.removeEventListener("change", changed);
  };
}

const theme = watched(currentTheme, listen);

/** The theme that is shown, kept up to date. */
export const useTheme = (): Theme => useSyncExternalStore(theme.subscribe, theme.known);

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

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const theme = currentTheme();
  return Object.fromEntries(
    TOKENS.map((token) => [token, colourOf(style.getPropertyValue(`--${token}`).trim(), theme)]),
  );
}

/**
 * A token's colour in a theme. A custom property is read as it was written, which a canvas cannot
 * use.
 */
function colourOf(token: string, theme: Theme): string {
  const [, light = token, dark = token] = /^light-dark\((.+),\s*(.+)\)$/.exec(token) ?? [];
  return theme === "dark" ? dark : light;
}

const palette = watched(readPalette, listen, (a, b) =>
  TOKENS.every((token) => a[token] === b[token]),
);

/** The theme's colours for a canvas; the same object until they change. */
export const usePalette = (): Palette => useSyncExternalStore(palette.subscribe, palette.known);
