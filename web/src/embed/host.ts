// The host's side: a frame with its own document, so that neither page affects the styles, keys or
// focus of the other.

import type { Experiment, Moment, Mounted, Options, State } from "./api";
import { deferred } from "./deferred";
import type { Inside, Outside } from "./inside";
import { type Parts, parts } from "./parts";
import { sentenceOf } from "./sentence";
import { words } from "./words";

const DEFAULT_HEIGHT_PX = 480;
const USUAL_CONTROLS = ["play", "step", "back", "timeline", "why"] as const;
const DOCUMENT =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>mmscope</title></head><body><div id="root"></div></body></html>';

/** Shows an experiment inside an element, and returns the calls that control it. */
export function mount(element: Element, experiment: Experiment, options: Options = {}): Mounted {
  const frame = document.createElement("iframe");
  const { height = DEFAULT_HEIGHT_PX } = options;
  frame.title = words.frameTitle;
  frame.srcdoc = DOCUMENT;
  Object.assign(frame.style, {
    display: "block",
    width: "100%",
    height: typeof height === "number" ? `${height}px` : height,
    border: "0",
  });
  const mounted = new FramedMachine(frame, experiment, options);
  element.append(frame);
  return mounted;
}

class FramedMachine implements Mounted {
  readonly ready: Promise<State>;
  readonly #frame: HTMLIFrameElement;
  readonly #options: Options;
  readonly #listeners = new Set<(state: State) => void>();
  /** The experiment that a new document of the frame opens. */
  #shown: { readonly experiment: Experiment; readonly at: Moment | undefined };
  /** The present document of the frame. */
  #document = new FrameDocument();
  #isFirst = true;
  #isDestroyed = false;

  constructor(frame: HTMLIFrameElement, experiment: Experiment, options: Options) {
    this.#frame = frame;
    this.#options = options;
    this.#shown = { experiment, at: options.at };
    this.ready = this.#document.inside.promise.then((inside) => this.#start(inside));
    // The frame shows the failure, so a host need not handle it.
    this.ready.catch(() => {});
    frame.addEventListener("load", () => void this.#load());
  }

  open(experiment: Experiment, at?: Moment): Promise<State> {
    return this.#move((inside) => inside.open(experiment, at));
  }

  go(at: Moment): Promise<State> {
    return this.#move((inside) => inside.go(at));
  }

  async state(): Promise<State> {
    return (await this.#opened()).state();
  }

  async hash(): Promise<string> {
    return (await this.state()).hash;
  }

  async link(): Promise<string> {
    return (await this.#opened()).link();
  }

  onState(listener: (state: State) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#listeners.clear();
    const { inside } = this.#document;
    inside.promise.then((calls) => calls.destroy()).catch(() => {});
    inside.reject(new Error(words.destroyed));
    this.#frame.remove();
  }

  /** Fills the frame's document. Moving a frame within a page, as notebooks do, empties it again. */
  async #load(): Promise<void> {
    if (!this.#isFirst) {
      this.#document = new FrameDocument();
      this.#document.inside.promise.then((inside) => this.#start(inside)).catch(() => {});
    }
    this.#isFirst = false;
    const { resolve, reject } = this.#document.inside;
    try {
      const loaded = await parts();
      if (!this.#isDestroyed) this.#fill(loaded, resolve);
    } catch (error) {
      reject(error);
    }
  }

  #fill({ engineUrl, scriptUrl, style }: Parts, ready: Outside["ready"]): void {
    const { contentWindow: window, contentDocument: document } = this.#frame;
    if (!window || !document) throw new Error(words.noFrame);
    const { theme = "auto", controls = USUAL_CONTROLS, site = null } = this.#options;
    window.mmscope = { engineUrl, theme, controls, site, ready };
    // A constructed style sheet needs no permission in the host's content security policy.
    const sheet = new (window as Window & typeof globalThis).CSSStyleSheet();
    sheet.replaceSync(style);
    document.adoptedStyleSheets = [sheet];
    const script = document.createElement("script");
    script.type = "module";
    script.src = scriptUrl;
    document.head.append(script);
  }

  async #start(inside: Inside): Promise<State> {
    const { experiment, at } = this.#shown;
    const { wasTried } = this.#document;
    inside.onState((state) => {
      this.#note(state);
      for (const listener of this.#listeners) listener(state);
    });
    try {
      const state = await inside.open(experiment, at);
      this.#note(state);
      return state;
    } catch (error) {
      inside.refuse(sentenceOf(error));
      throw error;
    } finally {
      wasTried.resolve();
    }
  }

  /** The calls of the frame, once it has tried to open its first experiment. */
  async #opened(): Promise<Inside> {
    const { inside, wasTried } = this.#document;
    const calls = await inside.promise;
    await wasTried.promise;
    return calls;
  }

  async #move(act: (inside: Inside) => Promise<State>): Promise<State> {
    const state = await act(await this.#opened());
    this.#note(state);
    return state;
  }

  #note({ experiment, step }: State): void {
    this.#shown = { experiment, at: step };
  }
}

/** One document of the frame. */
class FrameDocument {
  readonly inside = deferred<Inside>();
  readonly wasTried = deferred<void>();
}
