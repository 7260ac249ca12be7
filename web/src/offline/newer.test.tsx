import { expect, test, vi } from "vitest";
import { Newer } from "./newer";
import { PAGE_BEGAN, WHICH_PAGE } from "./versions";

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

/** A browser with one worker in control and another waiting. */
function browser({ controller = null, waiting = null }: Record<string, FakeWorker | null> = {}) {
  const registration = Object.assign(new EventTarget(), {
    waiting,
    active: controller,
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

test("does not announce the first version", async () => {
  const { newer, come } = browser();
  await newer.start("x");
  come().installed();
  expect(newer.news()).toBeNull();
});

test("announces a newer version, which waits until the user requests it", async () => {
  const { container, newer, reload, come } = browser({ controller: new FakeWorker() });
  const changed = vi.fn();
  newer.subscribe(changed);
  await newer.start("x");
  const worker = come();
  expect(newer.news()).toBeNull();
  worker.installed();
  expect(newer.news()).toEqual({ kind: "newer" });
  expect(changed).toHaveBeenCalledOnce();
  // Another tab may activate it: this tab must not reload by itself.
  container.dispatchEvent(new Event("controllerchange"));
  expect(reload).not.toHaveBeenCalled();
  expect(worker.heard).toEqual([]);
  newer.take();
  expect(worker.heard).toEqual(["take over"]);
  expect(reload).not.toHaveBeenCalled();
  container.dispatchEvent(new Event("controllerchange"));
  expect(reload).toHaveBeenCalledOnce();
});

test("announces a new version that was downloaded before this page was opened", async () => {
  const waiting = new FakeWorker();
  waiting.state = "installed";
  const { newer, reload } = browser({ controller: new FakeWorker(), waiting });
  await newer.start("x");
  expect(newer.news()).toEqual({ kind: "newer" });
  waiting.state = "activated";
  newer.take();
  expect(reload).toHaveBeenCalledOnce();
});

test("continues without offline support if the browser refuses the service worker", async () => {
  const { container, newer } = browser();
  container.register = () => Promise.reject(new Error("denied"));
  await newer.start("x");
  expect(newer.news()).toBeNull();
});

test("reports a part that does not load and whether another tab uses a newer version", async () => {
  const { container, newer } = browser({ controller: new FakeWorker() });
  await newer.start("x");
  dispatchEvent(new Event("vite:preloadError"));
  expect(newer.news()).toEqual({ kind: "missing", isReplaced: false });
  container.controller = new FakeWorker();
  container.dispatchEvent(new Event("controllerchange"));
  dispatchEvent(new Event("vite:preloadError"));
  expect(newer.news()).toEqual({ kind: "missing", isReplaced: true });
});

test("the first service worker does not count as a replacement", async () => {
  const { container, newer } = browser();
  await newer.start("x");
  container.controller = new FakeWorker();
  container.dispatchEvent(new Event("controllerchange"));
  dispatchEvent(new Event("vite:preloadError"));
  expect(newer.news()).toEqual({ kind: "missing", isReplaced: false });
});

test("without service workers, reports a missing part and offers a reload", () => {
  const reload = vi.fn();
  const newer = new Newer(null, reload);
  dispatchEvent(new Event("vite:preloadError"));
  expect(newer.news()).toEqual({ kind: "missing", isReplaced: false });
  newer.take();
  expect(reload).toHaveBeenCalledOnce();
});

test("notifies the service worker of the start of the page and of its script", async () => {
  const script = document.createElement("script");
  script.type = "module";
  script.src = "https://a.example/assets/index-1.js";
  document.head.append(script);
  const controller = new FakeWorker();
  const { container, newer } = browser({ controller });
  await newer.start("x");
  expect(controller.heard).toEqual([PAGE_BEGAN]);
  const port = { postMessage: vi.fn() };
  const asked = Object.assign(new Event("message"), { data: WHICH_PAGE, ports: [port] });
  container.dispatchEvent(asked);
  expect(port.postMessage).toHaveBeenCalledExactlyOnceWith(script.src);
  script.remove();
});
