import { expect, test } from "vitest";
import { run, runInForeground, Steps } from "./project.mjs";

/** @param {string} script */
const node = (script) => /** @type {[string, string[]]} */ ([process.execPath, ["-e", script]]);

test("reports the exit code of a program, its signal, or that it is missing", async () => {
  expect(await run(...node("process.exit(3)"))).toEqual({ code: 3, out: "", err: "" });
  expect((await run(...node('process.kill(process.pid, "SIGTERM")'))).code).toBe(143);
  expect((await run("no-such-program-anywhere", [])).code).toBe(127);
  expect(await runInForeground(...node("process.exit(4)"))).toBe(4);
});

test("collects output and extends the environment of the process", async () => {
  const env = { MMSCOPE_TEST: "word" };
  const print = "process.stdout.write(process.env.MMSCOPE_TEST)";
  expect(await run(...node(print), { collect: true, env })).toEqual({
    code: 0,
    out: "word",
    err: "",
  });
  expect((await run(...node("console.error('why')"), { collect: true })).out).toBe("why\n");
});

test("shows nothing of a silent program and separates its two streams", async () => {
  const both = "console.log('data'); console.error('why')";
  const ran = await run(...node(both), { silent: true });
  expect(ran).toEqual({ code: 0, out: "data\n", err: "why\n" });
});

test("numbers the steps and reports their results", async () => {
  /** @type {string[]} */
  const lines = [];
  const steps = new Steps(2, (line) => lines.push(line.replace(/\d+\.\d/, "N")));
  await steps.step("One", () => "up to date");
  await steps.step("Two", async () => {});
  expect(lines).toEqual(["[1/2] One", "      up to date, N s", "[2/2] Two", "      done, N s"]);
});
