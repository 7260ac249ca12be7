// The lesson's side of a package for a learning platform. Progress comes from the launch page
// around this page, and every change goes to it, with the engine's marks. Only the launch page
// knows SCORM.

import * as v from "valibot";
import { LastAsked } from "../engine/last-asked";
import { MeasureClient } from "../engine/measure-client";
import { pack, unpack } from "../link/codec";
import { loadLesson } from "./load";
import { keepElsewhere, type Progress, progressOf, readProgress } from "./progress";
import { onceEach, resultOf } from "./results";

/** The length that SCORM 1.2 guarantees for a lesson's data, characters. */
const MOST_SUSPENDED = 4096;
/** Limits for the unpacked text; packed texts were within these limits. */
const LIMITS = { characters: MOST_SUSPENDED, bytes: 262_144 };
/** The longest wait for an answer of the launch page, ms. */
const PATIENCE_MS = 10_000;

const beginMessage = v.object({
  mmscope: v.literal("begin"),
  lesson: v.string(),
  suspended: v.string(),
});

/**
 * Progress as a text for the platform. If it is too long, parts are left out: first the list of
 * steps read, then every answer to a question except the first.
 */
export function suspendedOf(progress: Progress): string {
  const { given, current } = progress;
  const first = new Map<string, [string, string]>();
  for (const [run, answer] of Object.entries(given)) {
    const [question = ""] = run.split("/");
    if (!first.has(question)) first.set(question, [run, answer]);
  }
  const less = { ...progress, settings: {}, visited: [] };
  const least = { ...less, given: Object.fromEntries(first.values()) };
  const fitting = [progress, less, least, { ...least, built: {}, shown: [] }]
    .map((each) => pack(JSON.stringify(each)))
    .find((text) => text.length <= MOST_SUSPENDED);
  return fitting ?? pack(JSON.stringify({ ...least, given: {}, built: {}, shown: [], current }));
}

/** The progress that a platform stored; null if there is none, or it cannot be read. */
export function progressIn(suspended: string): string | null {
  const unpacked = suspended === "" ? null : unpack(suspended, LIMITS);
  if (!unpacked?.ok) return null;
  try {
    return progressOf(unpacked.text) ? unpacked.text : null;
  } catch {
    return null;
  }
}

/** Restores the progress of earlier visits, and reports changes from now on. */
export async function begin(lesson: string): Promise<void> {
  const suspended = await askFor(lesson);
  // If no launch page answers, the browser stores progress.
  if (suspended === null) return;
  let text = progressIn(suspended);
  const report = reporter(lesson);
  keepElsewhere({
    read: (id) => (id === lesson ? text : null),
    write: (id, next) => {
      if (id !== lesson) return "denied";
      text = next;
      report();
      return "kept";
    },
  });
}

/** Asks the launch page for the stored text; null if it does not answer. */
function askFor(lesson: string): Promise<string | null> {
  return new Promise((resolve) => {
    const end = (answer: string | null) => {
      clearTimeout(timer);
      removeEventListener("message", hear);
      resolve(answer);
    };
    const hear = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (source !== parent || origin !== location.origin) return;
      const read = v.safeParse(beginMessage, data);
      if (read.success && read.output.lesson === lesson) end(read.output.suspended);
    };
    const timer = setTimeout(() => end(null), PATIENCE_MS);
    addEventListener("message", hear);
    parent.postMessage({ mmscope: "ready", lesson }, location.origin);
  });
}

/** Reports a change to the launch page: the position at once, the marks afterwards. */
function reporter(lesson: string): () => void {
  const client = new MeasureClient();
  const measure = onceEach((asked) => client.measure(asked));
  const asked = new LastAsked();
  return () => {
    const progress = readProgress(lesson);
    const report = {
      mmscope: "progress",
      lesson,
      location: progress.current ?? "",
      suspended: suspendedOf(progress),
    };
    const tell = (marks: unknown) => parent.postMessage({ ...report, marks }, location.origin);
    tell(null);
    const mark = asked.ask(async (heard) => {
      const loaded = await heard(loadLesson(lesson));
      if (loaded) tell(await heard(resultOf(loaded.data, progress, measure)));
    });
    // If marking fails, the next change tries again.
    mark.catch(() => {});
  };
}
