// The types that a host page uses. They are the declarations of the npm package.

/**
 * What to show: the id of a ready-made experiment (`first-touch.teach`), a link of mmscope
 * (`#/workbench?x=...`, alone or in a whole address), the JSON text of an experiment, or the
 * experiment as an object.
 */
export type Experiment = string | object;

/** The moment at which an experiment opens: its start, its end, or a step. */
export type Moment = "start" | "end" | number;

/** The controls below the machine. */
export type Control = "play" | "step" | "back" | "ends" | "timeline" | "why";

/** How the machine is shown. */
export interface Options {
  /** The first moment; a link opens at its own moment unless this is set. */
  readonly at?: Moment;
  /** "auto", the default, follows the reader's system. */
  readonly theme?: "auto" | "light" | "dark";
  /** Default: all but `ends`. */
  readonly controls?: readonly Control[];
  /** Height in CSS pixels, or any CSS length. Default: 480. */
  readonly height?: number | string;
  /** The address of an mmscope site. "Open in mmscope" leads there; without it there is no such link. */
  readonly site?: string;
}

/** The machine at a moment. */
export interface State {
  /** The title of the experiment. */
  readonly title: string;
  /** The experiment as JSON text, as the engine read it. */
  readonly experiment: string;
  /** The number of executed steps. */
  readonly step: number;
  /** Virtual time, nanoseconds. */
  readonly time_ns: number;
  /** Whether the run has ended. */
  readonly ended: boolean;
  /** The hash of the machine's state, 16 hexadecimal digits. */
  readonly hash: string;
}

/** A machine in a host page. */
export interface Mounted {
  /** Resolves when the first moment is shown; rejects with a sentence if there is none. */
  readonly ready: Promise<State>;
  /** Opens another experiment. It rejects with the reasons if the engine refuses it; the open one stays. */
  open(experiment: Experiment, at?: Moment): Promise<State>;
  /** Goes to a moment. */
  go(at: Moment): Promise<State>;
  /** The state when the machine is next at rest. */
  state(): Promise<State>;
  /** The state hash when the machine is next at rest, 16 hexadecimal digits. */
  hash(): Promise<string>;
  /** A link to the present moment: the fragment of an address of mmscope. */
  link(): Promise<string>;
  /** Calls back whenever the machine comes to rest at a moment. The result ends the calls. */
  onState(listener: (state: State) => void): () => void;
  /** Ends the engine and removes the machine from the page. */
  destroy(): void;
}
