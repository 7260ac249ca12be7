// Opens the lesson in a frame and reports the reader's progress to the learning platform. The
// lesson requests the answers of earlier visits when it starts, and reports every change.

import { findApi, Report } from "./report.js";

const LESSON = document.documentElement.dataset.lesson ?? "";
const frame = /** @type {HTMLIFrameElement} */ (document.getElementById("page"));
const said = /** @type {HTMLElement} */ (document.getElementById("said"));

const api = findApi(window);
const report = api && new Report(api, () => performance.now());
let suspended = "";
// Because the script runs, the message for a page that was opened as a file is removed.
say("");
if (!report) {
  say("No learning platform was found: your answers are not reported.");
} else if (!report.begin()) {
  say(`The learning platform did not start: ${report.fault}. Your answers are not reported.`);
} else {
  suspended = report.suspended;
}

addEventListener("message", ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== location.origin) return;
  if (data?.lesson !== LESSON) return;
  if (data.mmscope === "ready") {
    const answer = { mmscope: "begin", lesson: LESSON, suspended };
    frame.contentWindow?.postMessage(answer, location.origin);
  }
  if (data.mmscope === "progress" && report?.isOpen) {
    // If only the frame reloads, the lesson begins with this data.
    suspended = data.suspended;
    report.progress(data);
    say(report.fault ? `The learning platform refused a report: ${report.fault}.` : "");
  }
});
// Some platforms do not wait for an unload event, and no browser guarantees one.
addEventListener("pagehide", () => report?.end());
addEventListener("beforeunload", () => report?.end());
frame.src = `page/index.html#/lesson/${LESSON}`;

/** @param {string} words */
function say(words) {
  said.removeAttribute("data-waits");
  said.textContent = words;
}
