import { render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { loadPublications } from "../../lessons/publications";
import { ManyTable } from "./ManyTable";

const { tables } = await loadPublications();

test("shows six kernels side by side, each published value over the simulated one, with a verdict in words", () => {
  const table = tables.find(({ kernels }) => kernels.length === 6);
  if (!table) throw new Error("a table has six kernels");
  const [row] = table.rows;
  if (!row) throw new Error("it has rows");
  const simulated = [76, 38, null, null, null, null];
  const agrees = { published: "up", simulated: "down", agrees: false, ratio: null } as const;
  const scores = { scored: 1, agree: 0, moving: 1, moving_agree: 0, ratio: 0, within2: 0 };
  render(
    <ManyTable
      table={table}
      rows={[{ metric: row.metric, unit: row.unit, published: row.values, simulated }]}
      scoring={{ cells: [["baseline", agrees]], scores }}
      caption="six"
    />,
  );
  const found = screen.getByRole("table", { name: "six" });
  expect(within(found).getAllByRole("columnheader")).toHaveLength(7);
  const [baseline, second, third] = within(found).getAllByRole("cell");
  expect(baseline?.textContent).toContain("simulated 76");
  expect(second?.textContent).toContain("published 91");
  expect(second?.textContent).toContain("simulated 38");
  expect(second?.textContent).toContain("differs");
  expect(third?.textContent).toContain("not run");
  expect(third?.textContent).not.toContain("differs");
});
