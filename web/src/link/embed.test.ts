import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CONTROLS,
  embedQuery,
  FRAME_SIZES,
  frameCode,
  readEmbed,
  THEMES,
  USUAL_EMBED,
} from "./embed";
import { readFragment, writeFragment } from "./router";

test("a page without `embed` is not embedded, whatever else its address contains", () => {
  for (const fragment of ["#/workbench?x=abc&theme=dark", "#/lesson/a-b", "#/report/t", "#/"]) {
    expect(readFragment(fragment)).not.toHaveProperty("embed");
  }
});

test("reads back each combination of options that it wrote", () => {
  fc.assert(
    fc.property(fc.constantFrom(...THEMES), fc.subarray([...CONTROLS]), (theme, controls) => {
      const embed = { theme, controls, faults: [] };
      const address = { page: "workbench", x: "abc", embed } as const;
      expect(readFragment(writeFragment(address))).toMatchObject({ x: "abc", embed });
    }),
  );
  for (const theme of THEMES) {
    const embed = { ...USUAL_EMBED, theme };
    const lesson = { page: "lesson", id: "a-b", embed } as const;
    expect(readFragment(writeFragment(lesson))).toEqual(lesson);
    const report = { page: "report", table: "t-1", embed } as const;
    expect(readFragment(writeFragment(report))).toEqual(report);
  }
  expect(embedQuery("workbench", USUAL_EMBED)).toBe("embed=stage");
});

test.each([
  ["#/workbench?embed=lesson", /embed: this address shows a stage, not “lesson”/],
  ["#/workbench?x=abc&embed=", /not “”/],
  ["#/workbench?embed=stage&theme=pink", /“pink” is unknown; choose from auto, light, dark/],
  ["#/workbench?embed=stage&controls=play,fly", /“fly” is unknown/],
  ["#/lesson/a?embed=lesson&controls=play", /a lesson has its own/],
  [`#/report?embed=report&theme=${"x".repeat(9000)}`, /“x{24}…”/],
])("%s is named as an error and the page is still shown", (fragment, words) => {
  const address = readFragment(fragment);
  expect(address.page).not.toBe("home");
  const embed = "embed" in address ? address.embed : null;
  expect(embed?.faults).toEqual([expect.stringMatching(words)]);
});

test("ignores wrong values and keeps the valid ones", () => {
  const embed = readEmbed("workbench", "embed=stage&theme=pink&controls=step,fly");
  expect(embed).toMatchObject({ theme: "auto", controls: ["step"] });
});

test("escapes any title in the code of the frame", () => {
  const code = frameCode("https://a/#/workbench?x=b&embed=stage", 'a "b" <c>', FRAME_SIZES[0]);
  expect(code).toBe(
    '<iframe src="https://a/#/workbench?x=b&amp;embed=stage" title="mmscope: a &quot;b&quot; &lt;c>" width="640" height="400" loading="lazy"></iframe>',
  );
});
