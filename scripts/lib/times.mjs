// Measures the time of the stages of a check and of their steps.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { seconds } from "./project.mjs";

/** @typedef {{ name: string, ms: number, steps: { name: string, ms: number }[] }} StageTime */

export class Times {
  /** @type {StageTime[]} */
  #stages = [];
  #now;

  /** @param {() => number} [now] milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Runs a stage.
   * @template T
   * @param {string} name
   * @param {(timed: <S>(step: string, work: () => Promise<S>) => Promise<S>) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async stage(name, work) {
    /** @type {StageTime} */
    const stage = { name, ms: 0, steps: [] };
    this.#stages.push(stage);
    return this.#measure(
      () =>
        work((step, inner) => this.#measure(inner, (ms) => stage.steps.push({ name: step, ms }))),
      (ms) => {
        stage.ms = ms;
      },
    );
  }

  /** Milliseconds of a stage. @param {string} name */
  of(name) {
    return this.#stages.find((stage) => stage.name === name)?.ms ?? 0;
  }

  /** A line for each step of a stage. @param {string} name */
  stepsOf(name) {
    const stage = this.#stages.find((candidate) => candidate.name === name);
    return (stage?.steps ?? []).map(({ name: step, ms }) => `    ${step}: ${seconds(ms)}`);
  }

  /** Writes all times as JSON, in seconds. @param {string} path */
  write(path) {
    const rounded = (/** @type {number} */ ms) => Math.round(ms / 100) / 10;
    const stages = this.#stages.map(({ name, ms, steps }) => ({
      name,
      seconds: rounded(ms),
      steps: steps.map((step) => ({ name: step.name, seconds: rounded(step.ms) })),
    }));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify({ stages }, null, 2)}\n`);
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @param {(ms: number) => void} note called even if the work throws
   */
  async #measure(work, note) {
    const began = this.#now();
    try {
      return await work();
    } finally {
      note(this.#now() - began);
    }
  }
}
