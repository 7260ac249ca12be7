// Is the page inside a package for a learning platform? Then the platform stores a reader's
// answers.

/** The name that the package's launch page gives the frame (scripts/lib/scorm/launch.html). */
const FRAME = "mmscope-scorm";

/** Is this page in the frame of a launch page? */
export const isHosted = (): boolean => window.name === FRAME && window.parent !== window;

let begun: Promise<void> | null = null;

/**
 * Waits until the launch page has handed over the progress of earlier visits. It is asked for the
 * lesson that is shown first. A package has one lesson; others that a reader opens are not stored.
 */
export function hostBegun(lesson: string): Promise<void> {
  begun ??= import("./host").then(({ begin }) => begin(lesson));
  return begun;
}
