// The texts of ui: plain strings, and functions for texts that contain values.

/** `Canvas.tsx`: A canvas that draws in CSS pixels and handles device pixels itself. */
export const CANVAS = {
  browserDiscardedPicture:
    "The browser discarded a picture, which is now drawn again. If it stays empty, reload the page. Your work is kept.",
} as const;

/** `copy.tsx`: Copies a text and reports it. */
export const COPY = {
  copied: "Copied.",
  browserDeniesAccess:
    "The browser denies access to the clipboard. The text is selected: copy it with the keyboard.",
} as const;

/** `dialog.tsx`: A native modal dialog, open as long as it is mounted. */
export const DIALOG = {
  close: "Close",
} as const;

/** `embed-bar.tsx`: The header of an embedded page: its title, a link out of the frame, and the parts of the request that cannot be shown. */
export const EMBED_BAR = {
  openInMmscope: "Open in mmscope",
  invalidSettingsOfThisFrame: "Invalid settings of this frame",
} as const;

/** `page-bar.tsx`: The top bar of every page: link home, title, actions, theme. */
export const PAGE_BAR = {
  mmscopeHome: "mmscope: home",
  mmscope: "mmscope",
  manualLabel: "Manual",
  manual: "Manual",
} as const;

/** `starting.tsx`: Progress of the engine's start, shown if it takes long. */
export const STARTING = {
  waitingForEngine: "Waiting for the engine",
  downloadingAndCompilingEngine: "Downloading and compiling the engine",
  startingEngine: "Starting the engine",
  onSlowDevice: "On a slow device this can take a minute or more.",
} as const;

/** `term-panel.tsx`: The panel that explains a term. */
export const TERM_PANEL = {
  explanation: "Explanation",
  moreInGlossary: "More in the glossary",
} as const;

/** `theme-button.tsx`: Switches between light and dark. */
export const THEME_BUTTON = {
  lightTheme: "Light theme",
  darkTheme: "Dark theme",
} as const;
