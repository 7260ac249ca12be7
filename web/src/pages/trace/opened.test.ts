import { expect, test, vi } from "vitest";
import type { CaptureClient } from "../../engine/capture/client";
import { machine } from "../../engine/capture/machine.test-support";
import type { Machine } from "../../engine/capture/open";
import { Machines } from "./opened";

const file = (name: string) => new File(["x"], name);

/** A client of a worker that is never started. */
const client = () => ({ dispose: vi.fn() }) as unknown as CaptureClient;

/** Opens files by hand: each call is answered by the test. */
function byHand() {
  const asked: { resolve: (machine: Machine) => void; reject: (error: Error) => void }[] = [];
  const clients: CaptureClient[] = [];
  const open = ((_files, _tell, signal) =>
    new Promise((resolve, reject) => {
      const own = client();
      clients.push(own);
      asked.push({ resolve: (opened) => resolve({ client: own, machine: opened }), reject });
      signal.addEventListener("abort", () => reject(new Error("cancelled")));
    })) as typeof CaptureClient.open;
  return { machines: new Machines(open), asked, clients };
}

const named = (name: string): Machine => ({ ...machine().machine, name });
const empty = (): Machine => ({ ...named("empty"), trace: null, capture: null, counters: [] });

test("keeps the open machine when other files are empty or cannot be read", async () => {
  const { machines, asked, clients } = byHand();
  const first = machines.open([file("trace.txt")]);
  asked[0]?.resolve(named("first"));
  await first;
  const second = machines.open([file("photo.png")]);
  expect(machines.store.getState().reading?.names).toBe("photo.png");
  asked[1]?.resolve(empty());
  await second;
  expect(machines.store.getState()).toMatchObject({
    opened: { machine: { name: "first" } },
    reading: null,
    refused: { names: "photo.png", refusals: [{ reason: expect.stringMatching(/Nothing here/) }] },
  });
  expect(clients[1]?.dispose).toHaveBeenCalled();
  const third = machines.open([file("broken.txt")]);
  asked[2]?.reject(new Error("unreachable executed"));
  await third;
  const { opened, refused } = machines.store.getState();
  expect(opened?.machine.name).toBe("first");
  expect(refused?.refusals).toEqual([
    { file: "broken.txt", line: null, reason: "unreachable executed" },
  ]);
  expect(clients[0]?.dispose).not.toHaveBeenCalled();
});

test("opens only the files that were requested last", async () => {
  const { machines, asked } = byHand();
  const first = machines.open([file("a.txt")]);
  const second = machines.open([file("b.txt"), file("c.txt")]);
  expect(machines.store.getState().reading?.names).toBe("b.txt and 1 more");
  asked[0]?.resolve(named("first"));
  asked[1]?.resolve(named("second"));
  await Promise.all([first, second]);
  expect(machines.store.getState().opened?.machine.name).toBe("second");
});

test("stops reading on request without a message", async () => {
  const { machines } = byHand();
  const reading = machines.open([file("a.txt")]);
  machines.cancel();
  await reading;
  expect(machines.store.getState()).toMatchObject({ opened: null, reading: null, refused: null });
});
