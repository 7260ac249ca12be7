import { expect, test } from "vitest";
import { functionLengths, tooLong } from "./function-lengths.mjs";

const COMPONENT = `
export function Panel({ rows }: { rows: string[] }) {
  return (
    <ul>

      {rows.map((row) => (
        <li key={row}>
          {row}
        </li>
      ))}
    </ul>
  );
}
`;

test("counts lines of JSX without blank lines, and counts a callback both alone and in its function", () => {
  expect(functionLengths("Panel.tsx", COMPONENT)).toEqual([
    { name: "Panel", line: 2, lines: 11 },
    { name: "Panel", line: 6, lines: 5 },
  ]);
});

test("names a function by its variable or property", () => {
  const source = [
    "const arrow = () => 1;",
    "class Store { load() {} #keep = async () => {}; }",
    "export default { write: function () {} };",
    "setTimeout(() => {});",
  ].join("\n");
  expect(functionLengths("names.mjs", source).map(({ name }) => name)).toEqual([
    "arrow",
    "load",
    "keep",
    "write",
    "(no name)",
  ]);
});

test("ignores braces in texts, comments and patterns", () => {
  const source = "function tricky() {\n  // }\n  return [`}`, '}', /}/];\n}\n";
  expect(functionLengths("tricky.ts", source)).toEqual([{ name: "tricky", line: 1, lines: 4 }]);
});

test("refuses a function that is one line longer than the limit", () => {
  expect(tooLong("Panel.tsx", COMPONENT, 11)).toEqual([]);
  expect(tooLong("Panel.tsx", COMPONENT, 10)).toEqual([
    "Panel.tsx:2: Panel has 11 lines and the limit is 10: split it into parts with one job each.",
  ]);
});

test("names a file that cannot be parsed", () => {
  expect(() => functionLengths("broken.ts", "function (")).toThrow(/^broken\.ts cannot be read: /);
});
