// The SCORM 1.2 side of a lesson: finds the platform's object, initializes, reports, finishes. It
// runs in the browser, together with the launch page.

/**
 * The API object of a learning platform.
 * @typedef {object} Api
 * @property {(empty: "") => string} LMSInitialize
 * @property {(empty: "") => string} LMSFinish
 * @property {(name: string) => string} LMSGetValue
 * @property {(name: string, value: string) => string} LMSSetValue
 * @property {(empty: "") => string} LMSCommit
 * @property {() => string} LMSGetLastError
 * @property {(code: string) => string} LMSGetErrorString
 *
 * The report of the lesson.
 * @typedef {object} Progress
 * @property {string} location the step that the reader is at
 * @property {string} suspended the data that a later visit needs
 * @property {{ questions: number, answered: number, right: number } | null} marks null while the engine marks answers
 */

/** The maximum number of frames between the lesson and its platform. */
const MOST_FRAMES = 500;
/** Maximum lengths in SCORM 1.2, characters. */
const MOST_LOCATION = 255;
const MOST_SUSPENDED = 4096;
/** Final states, which are never replaced. */
const ENDS = ["completed", "passed", "failed"];

/**
 * Finds the platform's object in a frame around this frame, or around the page that opened this
 * page.
 * @param {any} from
 * @returns {Api | null}
 */
export function findApi(from) {
  return above(from) ?? (from.top?.opener ? above(from.top.opener) : null);
}

/** @param {any} from @returns {Api | null} */
function above(from) {
  let at = from;
  for (let i = 0; i < MOST_FRAMES; i += 1) {
    try {
      if (at.API) return at.API;
    } catch {
      // Access to a frame of another site throws.
    }
    if (!at.parent || at.parent === at) return null;
    at = at.parent;
  }
  return null;
}

/** A time as SCORM 1.2 writes it, HHHH:MM:SS.SS. @param {number} ms */
export function sessionTime(ms) {
  const hundredths = Math.max(0, Math.round(ms / 10));
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const seconds = Math.floor(hundredths / 100);
  const hours = Math.min(9999, Math.floor(seconds / 3600));
  const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60];
  return `${String(hours).padStart(4, "0")}:${two(minutes)}:${two(rest)}.${two(hundredths % 100)}`;
}

/** One visit's reports. */
export class Report {
  /** Whether the visit was initialized and has not finished. */
  isOpen = false;
  /** The data of earlier visits. */
  suspended = "";
  /** The last call that the platform rejected; empty if it accepted all calls. */
  fault = "";
  #status = "";
  #began = 0;

  /** @param {Api} api @param {() => number} now ms */
  constructor(api, now) {
    this.api = api;
    this.now = now;
  }

  /** Initializes; false if the platform does not. */
  begin() {
    if (String(this.api.LMSInitialize("")) !== "true") {
      this.fault = this.#error();
      return false;
    }
    this.isOpen = true;
    this.#began = this.now();
    this.suspended = String(this.api.LMSGetValue("cmi.suspend_data") ?? "");
    this.#status = String(this.api.LMSGetValue("cmi.core.lesson_status") ?? "");
    if (!ENDS.includes(this.#status)) this.#setStatus("incomplete");
    this.#set("cmi.core.score.min", "0");
    this.#set("cmi.core.score.max", "100");
    this.api.LMSCommit("");
    return true;
  }

  /** Reports the reader's progress. @param {Progress} progress */
  progress({ location, suspended, marks }) {
    if (!this.isOpen) return;
    this.fault = "";
    this.#set("cmi.core.lesson_location", location.slice(0, MOST_LOCATION));
    if (suspended.length <= MOST_SUSPENDED) this.#set("cmi.suspend_data", suspended);
    if (marks && marks.questions > 0) {
      this.#set("cmi.core.score.raw", String(Math.round((100 * marks.right) / marks.questions)));
      const isDone = marks.answered >= marks.questions;
      if (isDone && !ENDS.includes(this.#status)) this.#setStatus("completed");
    }
    this.api.LMSCommit("");
  }

  /** Finishes once: reports the duration of the visit, and that a later visit can continue it. */
  end() {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#set("cmi.core.session_time", sessionTime(this.now() - this.#began));
    this.#set("cmi.core.exit", "suspend");
    this.api.LMSCommit("");
    this.api.LMSFinish("");
  }

  /** @param {string} status */
  #setStatus(status) {
    this.#status = status;
    this.#set("cmi.core.lesson_status", status);
  }

  /** @param {string} name @param {string} value */
  #set(name, value) {
    if (String(this.api.LMSSetValue(name, value)) !== "true") {
      this.fault = `${name} (${this.#error()})`;
    }
  }

  #error() {
    const code = String(this.api.LMSGetLastError());
    return this.api.LMSGetErrorString(code) || `error ${code}`;
  }
}
