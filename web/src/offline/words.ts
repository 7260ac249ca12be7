// The texts of offline: plain strings, and functions for texts that contain values.

/**
 * `NewerNotice.tsx`: Announces a newer version of the page when no run is playing, and immediately
 * reports a part of this version that failed to load.
 */
export const NEWER_NOTICE = {
  reload: "Reload",
  reloadNow: "Reload now",
  dismiss: "Dismiss",
  newer: "A newer version of mmscope is ready. Reload when you like; your work is kept.",
  notLoaded: "Part of this page did not load",
  replaced: (what: string) =>
    `${what}: another tab has installed a newer version. Reload to use it. Your work is saved.`,
  checkNetwork: (what: string) => `${what}. Check your network, then reload. Your work is saved.`,
} as const;
