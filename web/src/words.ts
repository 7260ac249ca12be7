// Texts of the page as a whole.

/** `App.tsx`: A part of the page that did not load. */
export const APP = {
  notLoaded: "Part of this page did not load",
  browserSays: "The browser says: <message/>",
  reload: "Load again",
  home: "Home",
} as const;
