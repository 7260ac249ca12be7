import { describe, expect, test } from "vitest";
import { LEAST_TIME_PX, LINE_PX, type Room, type Share, type Squeeze, share } from "./share";

/** The height of the machine, which takes 600 px, at each squeeze. */
const HEIGHTS: Readonly<Record<Squeeze, number>> = { 0: 600, 1: 568, 2: 540, 3: 480 };

/** Repeats the share until nothing else can give way. */
function settle(room: Partial<Room> & { room_px: number }): Share {
  const rest = { wish: "free", chosen_px: null, ...room } as const;
  let shared = share({ ...rest, rung: 0, machine_px: HEIGHTS[0] });
  for (let tries = 0; !shared.isSettled; tries += 1) {
    if (tries > 8) throw new Error("it never settles");
    shared = share({ ...rest, rung: shared.rung, machine_px: HEIGHTS[shared.squeeze] });
  }
  return shared;
}

describe("the height of a window", () => {
  test("goes first to the machine, and the timeline gets the rest", () => {
    expect(settle({ room_px: 800 })).toMatchObject({ time_px: 200, isLine: false, squeeze: 0 });
    expect(settle({ room_px: 721 })).toMatchObject({ time_px: 121, isLine: false, squeeze: 0 });
    expect(settle({ room_px: 2000 })).toMatchObject({ time_px: 420, isLine: false });
  });

  test("folds empty lists and then lowers the maps if that keeps the timeline open", () => {
    expect(settle({ room_px: 720 })).toMatchObject({ time_px: 152, isLine: false, squeeze: 1 });
    expect(settle({ room_px: 680 })).toMatchObject({ time_px: 140, isLine: false, squeeze: 2 });
  });

  test("reduces the timeline to one line if the machine would lose too much room", () => {
    expect(settle({ room_px: 660 })).toMatchObject({ isLine: true, squeeze: 0 });
    expect(settle({ room_px: 640 })).toMatchObject({ isLine: true, squeeze: 0 });
    expect(settle({ room_px: 600 + LINE_PX })).toMatchObject({ isLine: true, squeeze: 0 });
  });

  test("folds empty lists next, and lowers the maps last", () => {
    expect(settle({ room_px: 600 })).toMatchObject({ isLine: true, squeeze: 1 });
    expect(settle({ room_px: 560 })).toMatchObject({ isLine: true, squeeze: 2 });
    expect(settle({ room_px: 500 })).toMatchObject({ isLine: true, squeeze: 3 });
    expect(settle({ room_px: 440 })).toMatchObject({ isLine: true, squeeze: 3 });
  });

  test("does not change the maps if the machine scrolls in any case", () => {
    expect(settle({ room_px: 300 })).toMatchObject({ isLine: true, squeeze: 1 });
    expect(settle({ room_px: 300, wish: "none" })).toMatchObject({ squeeze: 1 });
  });

  test("gives the machine its full height while another part can shrink", () => {
    for (let room_px = 484; room_px < 1200; room_px += 1) {
      const { time_px, isLine, squeeze } = settle({ room_px });
      const stage_px = room_px - (isLine ? LINE_PX : time_px);
      expect(HEIGHTS[squeeze], `${room_px}`).toBeLessThanOrEqual(stage_px);
      expect(time_px).toBeGreaterThanOrEqual(LEAST_TIME_PX);
    }
  });

  test("makes the machine smaller for a user who wants the timeline open", () => {
    expect(settle({ room_px: 620, wish: "open" })).toMatchObject({
      isLine: false,
      time_px: 140,
      squeeze: 3,
    });
    expect(settle({ room_px: 400, wish: "open" })).toMatchObject({ isLine: false, squeeze: 3 });
  });

  test("keeps the timeline as one line if the user chose that, whatever room there is", () => {
    expect(settle({ room_px: 2000, wish: "line" })).toMatchObject({ isLine: true, squeeze: 0 });
  });

  test("gives the timeline the user's height as long as part of the stage stays visible", () => {
    expect(settle({ room_px: 900, chosen_px: 300 })).toMatchObject({ time_px: 300, squeeze: 0 });
    expect(settle({ room_px: 700, chosen_px: 300 })).toMatchObject({ time_px: 300, squeeze: 3 });
    expect(settle({ room_px: 700, chosen_px: 2000 })).toMatchObject({ time_px: 540 });
    expect(settle({ room_px: 700, chosen_px: 10 })).toMatchObject({ time_px: 121 });
  });

  test("goes entirely to the machine if there is no timeline", () => {
    expect(settle({ room_px: 600, wish: "none" })).toMatchObject({ squeeze: 0 });
    expect(settle({ room_px: 599, wish: "none" })).toMatchObject({ squeeze: 1 });
    expect(settle({ room_px: 440, wish: "none" })).toMatchObject({ squeeze: 3 });
  });
});
