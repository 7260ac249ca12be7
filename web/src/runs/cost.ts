// Lengths of runs, shown to the user before a run begins. Counted once for each table's baseline
// (`npm run sim -- run ID`). `pages/report/controller.test.ts` compares the teaching sizes with
// those that the engine's build counted when it ran the tables (`pkg/truth.json`).

/** The cost of a run. */
export interface Cost {
  /** Steps of the engine. */
  readonly points: number;
  /**
   * The equivalent number of average steps. Most steps of this run touch resident pages, and many
   * of them are executed together. Left out if all steps take the usual time.
   */
  readonly slow?: number;
  /** Simulated seconds. */
  readonly simulated_s: number;
  /** Memory of its worker's engine at the end, MiB. */
  readonly memory_mib: number;
}

/** By experiment. Experiments with an unknown cost are missing. */
export const COSTS: Readonly<Record<string, Cost>> = {
  fsmark: { points: 964_000_000, simulated_s: 821, memory_mib: 374 },
  "large-dd": { points: 1_529_000_000, simulated_s: 283, memory_mib: 272 },
  "streaming-mapped-writer": { points: 2_006_000_000, simulated_s: 1212, memory_mib: 880 },
  tiobench: { points: 5_662_000_000, simulated_s: 4209, memory_mib: 250 },
  "stress-highalloc": { points: 3_820_000_000, simulated_s: 1814, memory_mib: 360 },
  "stress-highalloc-16m": { points: 3_795_000_000, simulated_s: 1908, memory_mib: 360 },
  numa01: { points: 1_340_000_000, simulated_s: 346, memory_mib: 140 },
  numa02: { points: 219_000_000, simulated_s: 57, memory_mib: 140 },
  // Estimated from traced parts of three of its six rounds, with an error of 20 %.
  stutterp: {
    points: 67_000_000_000,
    slow: 17_000_000_000,
    simulated_s: 2100,
    memory_mib: 460,
  },
  "fsmark.teach": { points: 2_584_000, simulated_s: 800, memory_mib: 13 },
  "large-dd.teach": { points: 4_740_000, simulated_s: 276, memory_mib: 17 },
  "numa01.teach": { points: 10_538_000, simulated_s: 2.75, memory_mib: 8 },
  "numa02.teach": { points: 12_275_000, simulated_s: 2.75, memory_mib: 8 },
  "specjbb-4x-thp": {
    points: 440_000_000,
    slow: 10_000_000_000,
    simulated_s: 245,
    memory_mib: 300,
  },
  "specjbb-4x-thp.teach": { points: 4_336_000, simulated_s: 5, memory_mib: 8 },
  "stress-highalloc.teach": { points: 3_023_000, simulated_s: 101, memory_mib: 10 },
  "stutterp.teach": {
    points: 7_721_000_000,
    slow: 175_000_000,
    simulated_s: 503,
    memory_mib: 10,
  },
  "tiobench.teach": { points: 1_926_000, simulated_s: 660, memory_mib: 7 },
};

/** The number of steps that take the usual time. */
export const slowOf = ({ points, slow }: Cost): number => slow ?? points;

/** Memory of an unmeasured run, MiB: that of a large machine. */
const USUAL_MIB = 400;

/** Memory of an experiment's run, MiB. */
export const memoryOf = (id: string): number => COSTS[id]?.memory_mib ?? USUAL_MIB;

/** Points a second in a browser on a notebook, used until a run here has shown its speed. */
export const USUAL_SPEED = 40_000_000;
