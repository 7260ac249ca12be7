// Is the page inside a package of a learning platform? Then the platform keeps what a reader answers.

/** The name that the package's launch page gives the frame (scripts/lib/scorm/launch.html). */
const FRAME = "mmscope-scorm";

/** Does a launch page have this page in its frame? */
export const isHosted = (): boolean => window.name === FRAME && window.parent !== window;

let begun: Promise<void> | null = null;

/**
 * Waits until the launch page has handed over what earlier visits left. It is asked for the lesson that
 * shows first: a package has one, and others that a reader goes on to are not kept.
 */
export function hostBegun(lesson: string): Promise<void> {
  begun ??= import("./host").then(({ begin }) => begin(lesson));
  return begun;
}
