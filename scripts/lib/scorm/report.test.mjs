import { expect, test } from "vitest";
import { findApi, Report, sessionTime } from "./report.js";

/** A platform that stores reported values and refuses some names. */
class Platform {
  /** @type {string[]} */
  calls = [];

  /** @param {string[]} [refused] @param {Record<string, string>} [values] */
  constructor(refused = [], values = {}) {
    this.refused = refused;
    this.values = values;
  }

  /** @param {string} call @returns {string} */
  #note(call) {
    this.calls.push(call);
    return "true";
  }

  LMSInitialize() {
    return this.#note("initialize");
  }

  LMSFinish() {
    return this.#note("finish");
  }

  LMSCommit() {
    return this.#note("commit");
  }

  /** @param {string} name */
  LMSGetValue(name) {
    return this.values[name] ?? "";
  }

  /** @param {string} name @param {string} value */
  LMSSetValue(name, value) {
    if (this.refused.includes(name)) return "false";
    this.values[name] = value;
    return this.#note(`set ${name}`);
  }

  LMSGetLastError() {
    return "405";
  }

  LMSGetErrorString() {
    return "Incorrect Data Type";
  }
}

/** A platform that does not initialize. */
class Closed extends Platform {
  /** @override */
  LMSInitialize() {
    return "false";
  }
}

const marks = (answered = 0, right = 0) => ({ questions: 3, answered, right });

test("a visit initializes first, then reports, and finishes once", () => {
  const api = new Platform();
  let now = 0;
  const report = new Report(api, () => now);
  report.progress({ location: "who", suspended: "a", marks: marks() });
  expect(api.calls).toEqual([]);
  expect(report.begin()).toBe(true);
  expect(api.calls[0]).toBe("initialize");
  report.progress({ location: "who", suspended: "packed", marks: marks(1, 1) });
  expect(api.values).toMatchObject({
    "cmi.core.lesson_status": "incomplete",
    "cmi.core.score.min": "0",
    "cmi.core.score.max": "100",
    "cmi.core.score.raw": "33",
    "cmi.core.lesson_location": "who",
    "cmi.suspend_data": "packed",
  });
  now = 3_723_450;
  report.end();
  report.end();
  expect(api.values["cmi.core.session_time"]).toBe("0001:02:03.45");
  expect(api.values["cmi.core.exit"]).toBe("suspend");
  expect(api.calls.filter((call) => call === "finish")).toHaveLength(1);
  expect(api.calls.at(-1)).toBe("finish");
  const { length } = api.calls;
  report.progress({ location: "who", suspended: "late", marks: marks() });
  expect(api.calls).toHaveLength(length);
});

test("a lesson is complete when every question is answered, and remains complete", () => {
  const api = new Platform();
  const report = new Report(api, () => 0);
  report.begin();
  report.progress({ location: "", suspended: "", marks: null });
  expect(api.values["cmi.core.score.raw"]).toBeUndefined();
  report.progress({ location: "", suspended: "", marks: marks(3, 2) });
  expect(api.values).toMatchObject({
    "cmi.core.lesson_status": "completed",
    "cmi.core.score.raw": "67",
  });
  const again = new Report(new Platform([], api.values), () => 0);
  again.begin();
  again.progress({ location: "", suspended: "", marks: marks(2, 2) });
  expect(api.values["cmi.core.lesson_status"]).toBe("completed");
});

test("sends no value longer than SCORM 1.2 allows and shows a refusal", () => {
  const api = new Platform(["cmi.core.score.raw"]);
  const report = new Report(api, () => 0);
  report.begin();
  report.progress({ location: "x".repeat(300), suspended: "y".repeat(5000), marks: marks(1, 0) });
  expect(api.values["cmi.core.lesson_location"]).toHaveLength(255);
  expect(api.values["cmi.suspend_data"]).toBeUndefined();
  expect(report.fault).toBe("cmi.core.score.raw (Incorrect Data Type)");
});

test("sends no reports to a platform that does not initialize", () => {
  const api = new Closed();
  const report = new Report(api, () => 0);
  expect(report.begin()).toBe(false);
  report.end();
  expect([report.fault, api.calls]).toEqual(["Incorrect Data Type", []]);
});

test("finds the platform in the parent frames or in the window that opened the page", () => {
  const API = new Platform();
  const top = { API, parent: /** @type {unknown} */ (null) };
  const frame = { parent: { parent: top } };
  expect(findApi(frame)).toBe(API);
  const alone = { top: { opener: frame } };
  expect(findApi({ ...alone, parent: null })).toBe(API);
  expect(findApi({ parent: null, top: { opener: null } })).toBeNull();
});

test("writes a time with hours, minutes, seconds and hundredths", () => {
  expect(sessionTime(0)).toBe("0000:00:00.00");
  expect(sessionTime(59_999)).toBe("0000:01:00.00");
  expect(sessionTime(36_000_000_000_000)).toMatch(/^9999:/);
});
