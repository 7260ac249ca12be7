import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { MapGrid } from "./MapGrid";

/** A grid with rows of four cells. */
function Grid({ count }: { count: number }) {
  const [cursor, setCursor] = useState<number | null>(null);
  const bands = [{ zone: "", name: "", first: 0, frames: count, first_pfn: 0, y: 0 }];
  return (
    <MapGrid
      label="Frames"
      layout={{ columns: 4, tile_px: 10, width: 40, height: 20, bands }}
      count={count}
      cursor={cursor}
      setCursor={setCursor}
      say={(cell) => `frame ${cell}`}
    >
      {null}
    </MapGrid>
  );
}

test("arrow keys stay within the cells and select nothing on an empty map", () => {
  const { rerender } = render(<Grid count={0} />);
  const press = (key: string) => {
    fireEvent.keyDown(screen.getByRole("grid", { name: /^Frames;/ }), { key });
    return screen.getByRole("gridcell").textContent;
  };
  expect(["ArrowRight", "End", "ArrowUp"].map(press)).toEqual(Array(3).fill("no cell selected"));
  rerender(<Grid count={6} />);
  expect(["ArrowRight", "End", "ArrowRight", "Home", "ArrowLeft"].map(press)).toEqual([
    "frame 1",
    "frame 5",
    "frame 5",
    "frame 0",
    "frame 0",
  ]);
});
