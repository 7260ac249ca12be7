// A small learning platform for a journey: a page whose `API` has the states and checks of SCORM 1.2,
// and shows a package's launch page in a frame. Only the reported values survive a reload.

/** The values stored in the platform. */
export interface LmsRecord {
  readonly values: Readonly<Record<string, string>>;
  /** The calls in order. */
  readonly calls: readonly string[];
  /** Every call that SCORM 1.2 does not allow. */
  readonly faults: readonly string[];
}

/** Runs in the platform's page. */
function platform() {
  const stored = JSON.parse(sessionStorage.getItem("told") ?? '{"values":{}}');
  const record = {
    values: stored.values as Record<string, string>,
    calls: [] as string[],
    faults: [] as string[],
  };
  let state: "not begun" | "begun" | "ended" = "not begun";
  let error = "0";
  const keep = () => sessionStorage.setItem("told", JSON.stringify(record));
  const refuse = (code: string, call: string) => {
    error = code;
    record.faults.push(`${code} ${call}`);
    keep();
    return "false";
  };
  const words =
    (...all: string[]) =>
    (text: string) =>
      all.includes(text);
  const score = (text: string) =>
    text === "" || (/^\d+(\.\d+)?$/.test(text) && Number(text) <= 100);
  const most = (length: number) => (text: string) => text.length <= length;
  const rules: Record<string, { check?: (text: string) => boolean; reads?: false }> = {
    "cmi.core.lesson_status": {
      check: words("passed", "completed", "failed", "incomplete", "browsed"),
    },
    "cmi.core.lesson_location": { check: most(255) },
    "cmi.core.score.raw": { check: score },
    "cmi.core.score.min": { check: score },
    "cmi.core.score.max": { check: score },
    "cmi.core.session_time": {
      check: (text) => /^\d{2,4}:\d\d:\d\d(\.\d{1,2})?$/.test(text),
      reads: false,
    },
    "cmi.core.exit": { check: words("time-out", "suspend", "logout", ""), reads: false },
    "cmi.suspend_data": { check: most(4096) },
    "cmi.core.student_name": {},
  };
  const API = {
    LMSInitialize(text: string) {
      if (text !== "" || state !== "not begun") return refuse("101", "LMSInitialize");
      state = "begun";
      error = "0";
      record.values["cmi.core.lesson_status"] ??= "not attempted";
      record.calls.push("LMSInitialize");
      keep();
      return "true";
    },
    LMSFinish(text: string) {
      if (text !== "" || state !== "begun") return refuse("301", "LMSFinish");
      state = "ended";
      record.calls.push("LMSFinish");
      keep();
      return "true";
    },
    LMSGetValue(name: string) {
      if (state !== "begun") return refuse("301", `LMSGetValue ${name}`) && "";
      const rule = rules[name];
      if (!rule) return refuse("201", `LMSGetValue ${name}`) && "";
      if (rule.reads === false) return refuse("404", `LMSGetValue ${name}`) && "";
      error = "0";
      return record.values[name] ?? "";
    },
    LMSSetValue(name: string, value: string) {
      const call = `LMSSetValue ${name} ${value}`;
      if (state !== "begun") return refuse("301", call);
      const rule = rules[name];
      if (!rule) return refuse("201", call);
      if (!rule.check) return refuse("403", call);
      if (typeof value !== "string" || !rule.check(value)) return refuse("405", call);
      error = "0";
      record.values[name] = value;
      record.calls.push(`LMSSetValue ${name}`);
      keep();
      return "true";
    },
    LMSCommit(text: string) {
      if (text !== "" || state !== "begun") return refuse("301", "LMSCommit");
      record.calls.push("LMSCommit");
      keep();
      return "true";
    },
    LMSGetLastError() {
      return error;
    },
    LMSGetErrorString(code: string) {
      return code === "0" ? "No error" : `Error ${code}`;
    },
    LMSGetDiagnostic(code: string) {
      return code;
    },
  };
  Object.assign(window, { API, told: record });
}

/** The platform's page, with a package in a frame. */
export const lmsPage = (launch: string): string =>
  `<!doctype html><html lang="en"><title>Platform</title><script>(${platform})()</script>` +
  `<iframe src="${launch}" title="Package" width="1400" height="860"></iframe></html>`;
