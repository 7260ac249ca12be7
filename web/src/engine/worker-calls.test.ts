import { expect, test, vi } from "vitest";
import { WorkerCalls, type WorkerPort } from "./worker-calls";

interface Request {
  readonly id: number;
  readonly ask: string;
}
interface Event {
  readonly id: number;
  readonly part?: string;
  readonly answer?: string;
}

function begin() {
  const ports: WorkerPort<Request, Event>[] = [];
  const sent: Request[] = [];
  const calls: WorkerCalls<Request, Event> = new WorkerCalls({
    start: () => {
      const port = {
        postMessage: (request: Request) => void sent.push(request),
        onmessage: null,
        onerror: null,
        terminate: vi.fn(),
      };
      ports.push(port);
      return port;
    },
    hear: (event) => calls.answer(event.id, event),
    broke: (message) => calls.fail(message),
  });
  const hear = (event: Event) =>
    ports.at(-1)?.onmessage?.(new MessageEvent("message", { data: event }));
  const ask = (text: string) =>
    calls.call(
      (id) => ({ id, ask: text }),
      ({ answer }) => {
        if (answer === "throw") throw new Error("not an answer");
        return answer;
      },
    );
  return { calls, ports, sent, hear, ask };
}

test("gives each answer to its own call in any order", async () => {
  const { hear, ask, sent, ports } = begin();
  const first = ask("a");
  const second = ask("b");
  expect(sent).toEqual([
    { id: 0, ask: "a" },
    { id: 1, ask: "b" },
  ]);
  hear({ id: 1, part: "so far" });
  hear({ id: 1, answer: "B" });
  hear({ id: 1, answer: "twice" });
  hear({ id: 0, answer: "A" });
  expect(await first.answer).toBe("A");
  expect(await second.answer).toBe("B");
  expect(ports).toHaveLength(1);
});

test("rejects all calls when the worker breaks and starts another worker for the next call", async () => {
  const { hear, ask, ports } = begin();
  const both = [ask("a"), ask("b")];
  const rejected = Promise.allSettled(both.map(({ answer }) => answer));
  ports[0]?.onerror?.({ message: "out of memory" } as ErrorEvent);
  for (const result of await rejected) {
    expect(result).toMatchObject({ status: "rejected", reason: new Error("out of memory") });
  }
  expect(ports[0]?.terminate).toHaveBeenCalledOnce();
  const again = ask("c");
  expect(ports).toHaveLength(2);
  hear({ id: again.id, answer: "C" });
  expect(await again.answer).toBe("C");
});

test("rejects only one call when it is cancelled or when its answer cannot be read", async () => {
  const { calls, hear, ask } = begin();
  const cancelled = ask("a");
  const bad = ask("b");
  const good = ask("c");
  calls.reject(cancelled.id, new Error("cancelled"));
  hear({ id: cancelled.id, answer: "late" });
  await expect(cancelled.answer).rejects.toThrow("cancelled");
  hear({ id: bad.id, answer: "throw" });
  await expect(bad.answer).rejects.toThrow("not an answer");
  hear({ id: good.id, answer: "C" });
  expect(await good.answer).toBe("C");
});

test("drops requests after it is closed until it connects again", () => {
  const { ask, calls, ports, sent } = begin();
  ask("a");
  calls.close();
  ask("b");
  expect(ports).toHaveLength(1);
  expect(sent.map((request) => request.ask)).toEqual(["a"]);
  calls.connect();
  ask("c");
  expect(ports).toHaveLength(2);
  expect(sent.map((request) => request.ask)).toEqual(["a", "c"]);
});
