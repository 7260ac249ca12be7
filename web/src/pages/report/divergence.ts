// Finds where two kernels of a table diverge: the choice of kernels, the progress of the search,
// and the result. Components call these actions and read the store.

import { createStore, type StoreApi } from "zustand/vanilla";
import type { DivergedRun, RunComparison } from "../../engine/first-divergence";
import { LastAsked } from "../../engine/last-asked";
import { MeasureClient, startMeasure } from "../../engine/measure-client";
import type { Size } from "../../lessons/publications";
import { experimentsOf } from "../../lessons/publications";
import type { PublishedTable } from "../../lessons/schema";
import { bareLink, writeLink } from "../../link/link";
import { writeFragment } from "../../link/router";
import { experimentIn } from "./columns";

/** One of two runs at the point where they diverge, and its address in the workbench. */
interface KernelRun extends DivergedRun {
  readonly kernel: string;
  readonly href: string;
}

/** The state of the search for two kernels. */
export type Known =
  | { readonly kind: "nothing" }
  | { readonly kind: "runs"; readonly step: number; readonly time_ns: number }
  | {
      readonly kind: "found";
      readonly outcome: Exclude<RunComparison["outcome"], "equal">;
      readonly step: number;
      readonly last: RunComparison["last"];
      readonly runs: readonly KernelRun[];
    }
  | { readonly kind: "stopped"; readonly message: string };

/** Two kernels, an experiment, and the state of the search. */
export interface DivergenceState {
  readonly kernels: readonly [string, string];
  readonly experiment: string;
  readonly known: Known;
}

const NOTHING: Known = { kind: "nothing" };
/** Time between two progress reports, ms. */
const REPORT_MS = 100;

/** Compares two kernels of a table at a size. */
export class DivergenceController {
  readonly store: StoreApi<DivergenceState>;
  readonly experiments: readonly string[];
  readonly #start: typeof startMeasure;
  readonly #runs = new LastAsked();

  constructor(table: PublishedTable, size: Size, start = startMeasure) {
    this.#start = start;
    this.experiments = experimentsOf(table, size);
    const [first = "", second = first] = table.kernels;
    const [experiment = ""] = this.experiments;
    this.store = createStore<DivergenceState>(() => ({
      kernels: [first, second],
      experiment,
      known: NOTHING,
    }));
  }

  /**
   * Chooses kernels or the experiment; stops the search and drops the result of the earlier choice.
   */
  choose(chosen: Partial<Omit<DivergenceState, "known">>) {
    this.#runs.stop();
    this.store.setState({ ...chosen, known: NOTHING });
  }

  /** Stops the search. */
  cancel() {
    const { known } = this.store.getState();
    if (known.kind !== "runs") return;
    this.#runs.stop();
    this.store.setState({ known: { kind: "stopped", message: "Cancelled." } });
  }

  /** Ends the worker. */
  dispose() {
    this.#runs.stop();
  }

  /** Runs both kernels until they diverge. */
  async run(): Promise<void> {
    const { kernels, experiment } = this.store.getState();
    this.store.setState({ known: { kind: "runs", step: 0, time_ns: 0 } });
    await this.#runs.ask(async (heard, signal) => {
      // Ending the worker frees the memory of both machines.
      const client = new MeasureClient(this.#start);
      try {
        const engine = await heard(client.start());
        const preset = engine.presets[experiment];
        if (preset === undefined) throw new Error(`there is no experiment ${experiment}`);
        const texts = kernels.map((kernel) => JSON.stringify(experimentIn(preset, kernel)));
        const [first = "", second = ""] = texts;
        let reported = 0;
        const progress = ({ step, runs }: RunComparison) => {
          if (signal.aborted || performance.now() - reported < REPORT_MS) return;
          reported = performance.now();
          this.store.setState({ known: { kind: "runs", step, time_ns: runs[0]?.time_ns ?? 0 } });
        };
        const { outcome, step, last, runs } = await heard(
          client.compareRuns([first, second], { signal, progress }),
        );
        if (outcome === "equal") throw new Error("one run stopped before its end");
        const compared = runs.map((run, i): KernelRun => {
          const { time_ns, hash } = run;
          const cursor = { step, time_ns, hash: hash ?? "", engine: engine.version };
          const link = { ...bareLink(texts[i] ?? ""), cursor, followed: last?.task ?? null };
          const x = writeLink(link, engine.presets);
          const href = writeFragment({ page: "workbench", x });
          return { ...run, kernel: kernels[i] ?? "", href };
        });
        this.store.setState({ known: { kind: "found", outcome, step, last, runs: compared } });
      } catch (error) {
        if (signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        this.store.setState({ known: { kind: "stopped", message: `It stopped: ${message}.` } });
      } finally {
        client.dispose();
      }
    });
  }
}
