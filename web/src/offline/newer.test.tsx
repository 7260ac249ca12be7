import { expect, test, vi } from "vitest";
import { Newer } from "./newer";

class FakeWorker extends EventTarget {
  state = "installing";
  readonly heard: unknown[] = [];
  postMessage(message: unknown) {
    this.heard.push(message);
  }
  installed() {
    this.state = "installed";
    this.dispatchEvent(new Event("statechange"));
  }
}

/** A browser with this worker in charge and that one waiting. */
function browser({ controller = null, waiting = null }: Record<string, FakeWorker | null> = {}) {
  const registration = Object.assign(new EventTarget(), {
    waiting,
    installing: null as FakeWorker | null,
    update: () => Promise.resolve(),
  });
  const container = Object.assign(new EventTarget(), {
    controller,
    register: () => Promise.resolve(registration),
  });
  const reload = vi.fn();
  const newer = new Newer(container as unknown as ServiceWorkerContainer, reload);
  const come = () => {
    const worker = new FakeWorker();
    registration.installing = worker;
    registration.dispatchEvent(new Event("updatefound"));
    return worker;
  };
  return { container, newer, reload, come };
}

test("the first version replaces none, and is not announced", async () => {
  const { newer, come } = browser();
  await newer.start("x");
  come().installed();
  expect(newer.isHere()).toBe(false);
});

test("a newer one is announced, waits, and takes over when it is told to", async () => {
  const { container, newer, reload, come } = browser({ controller: new FakeWorker() });
  const changed = vi.fn();
  newer.subscribe(changed);
  await newer.start("x");
  const worker = come();
  expect(newer.isHere()).toBe(false);
  worker.installed();
  expect(newer.isHere()).toBe(true);
  expect(changed).toHaveBeenCalledOnce();
  // Another tab may hand over: nothing happens here by itself.
  container.dispatchEvent(new Event("controllerchange"));
  expect(reload).not.toHaveBeenCalled();
  expect(worker.heard).toEqual([]);
  newer.take();
  expect(worker.heard).toEqual(["take over"]);
  expect(reload).not.toHaveBeenCalled();
  container.dispatchEvent(new Event("controllerchange"));
  expect(reload).toHaveBeenCalledOnce();
});

test("one that waited before this page was opened is announced, too", async () => {
  const waiting = new FakeWorker();
  waiting.state = "installed";
  const { newer, reload } = browser({ controller: new FakeWorker(), waiting });
  await newer.start("x");
  expect(newer.isHere()).toBe(true);
  waiting.state = "activated";
  newer.take();
  expect(reload).toHaveBeenCalledOnce();
});

test("a browser that refuses is left in peace", async () => {
  const { container, newer } = browser();
  container.register = () => Promise.reject(new Error("denied"));
  await newer.start("x");
  expect(newer.isHere()).toBe(false);
});
