// Is the page inside a package for a learning platform? If so, the platform stores the reader's
// answers.

/** The name that the package's launch page gives the frame (scripts/lib/scorm/launch.html). */
const FRAME = "mmscope-scorm";

/** Is this page in the frame of a launch page? */
export const isHosted = (): boolean => window.name === FRAME && window.parent !== window;

let begun: Promise<void> | null = null;

/**
 * Waits until the launch page has sent the progress of earlier visits. The request concerns the
 * lesson that is shown first. A package has one lesson; the progress in other lessons is not
 * stored.
 */
export function hostBegun(lesson: string): Promise<void> {
  begun ??= import("./host").then(({ begin }) => begin(lesson));
  return begun;
}
