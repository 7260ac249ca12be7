import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkFolder, type FolderTexts } from "./check";

const read = (path: string) => readFileSync(`lessons/${path}`, "utf8");
const folder = (name: string): FolderTexts =>
  Object.fromEntries(readdirSync(`lessons/${name}`).map((file) => [file, read(`${name}/${file}`)]));
const figures = async (name: string): Promise<unknown> =>
  existsSync(`lessons/figures/${name}.json`) ? JSON.parse(read(`figures/${name}.json`)) : undefined;

const GOOD = folder("watermarks-and-kswapd");

/** The errors of the valid lesson after one replacement in one of its files. */
async function faultsOf(file: string, text: string, other: string): Promise<string[]> {
  const whole = GOOD[file] ?? "";
  if (!whole.includes(text)) throw new Error(`${file} has no ${text}`);
  const checked = await checkFolder({ ...GOOD, [file]: whole.replace(text, other) }, figures);
  return checked.ok ? [] : checked.faults.map((f) => `${f.file}:${f.line} ${f.reason}`);
}

test("accepts a valid lesson", async () => {
  const checked = await checkFolder(GOOD, figures);
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  expect(checked.lesson.data.questions.map(({ id }) => id)).toEqual(["who", "luck", "price"]);
});

test("reports every error of a JSON file with file and line", async () => {
  expect(await faultsOf("lesson.json", '"minutes": 12,', '"minutes": 12')).toEqual([
    'lesson.json:5 Expected a comma or a closing brace, but there is "\\"".',
  ]);
  expect(await faultsOf("lesson.json", '"minutes": 12', '"minutes": "12", "hours": 1')).toEqual([
    'lesson.json:4 minutes is "12"; it must be a number.',
    "lesson.json:4 The field hours is unknown.",
  ]);
  expect(await faultsOf("lesson.json", '"minutes": 12,', "")).toEqual([
    "lesson.json:1 minutes is missing.",
  ]);
  expect(await faultsOf("questions.json", '"pgpgin < 10000"', '"pgpgin"')).toEqual([
    'questions.json:103 "pgpgin" does not compare two sides.',
  ]);
  expect((await faultsOf("experiments.json", '"book": {', '"books": {')).slice(0, 1)).toEqual([
    'questions.json:89 experiments.json has no experiment called "book".',
  ]);
});

test("reports a blank without a value, and a knob that fills a missing blank", async () => {
  expect(await faultsOf("experiments.json", '"kernel": "6.1"', '"kernel": "$kernel"')).toEqual([
    expect.stringMatching(/^experiments.json:\d+ This experiment has no blank "kernel".$/),
  ]);
  expect(
    await faultsOf(
      "lesson.json",
      '"knobs": {',
      '"knobs": { "k": { "turns": "blank k", "word": "k" },',
    ),
  ).toEqual([expect.stringMatching(/^lesson.json:\d+ No experiment has a blank "k".$/)]);
});

test("reports every error of the prose with its line", async () => {
  const mdx = (text: string, other: string) => faultsOf("index.mdx", text, other);
  expect(await mdx('<At scene="filling">', '<At scene="fillin">')).toEqual([
    'index.mdx:5 lesson.json has no scene called "fillin".',
  ]);
  expect(await mdx('<Seeds of="luck" />', "{1 + 1}")).toEqual([
    "index.mdx:67 A lesson cannot contain expressions: { } is allowed only inside attributes.",
  ]);
  expect(await mdx('<Seeds of="luck" />', "<Seeds of={luck} />")).toEqual(
    [
      'index.mdx:67 The attribute "of" of <Seeds> must be a string in quotes.',
      'index.mdx:67 <Seeds> needs of="...".',
    ].slice(0, 1),
  );
  expect(await mdx('<Seeds of="luck" />', "<script>alert(1)</script>")).toEqual([
    expect.stringMatching(/^index.mdx:67 There is no component <script>/),
  ]);
  expect(await mdx("</Step>", "")).toEqual([expect.stringMatching(/^index.mdx:\d+ .*Step/)]);
});

test("reports a question that is in the wrong step, has no explanation, or is answered in the text before it", async () => {
  const mdx = (text: string, other: string) => faultsOf("index.mdx", text, other);
  const answered = GOOD["index.mdx"]?.split('<Ask id="price" />')[1]?.split("</Step>")[0] ?? "";
  expect(await mdx(answered, "\n")).toContainEqual(
    expect.stringMatching(/^index.mdx:\d+ Nothing follows the question/),
  );
  const moved = `${answered}\n\n<Ask id="price" />\n\nSo it is.\n`;
  expect(await mdx(`<Ask id="price" />${answered}`, moved)).toContainEqual(
    expect.stringMatching(/^index.mdx:\d+ .* answers the question "price"/),
  );
});

test("names a missing file", async () => {
  const { "questions.json": _, ...rest } = GOOD;
  const checked = await checkFolder(rest, figures);
  expect(checked).toEqual({
    ok: false,
    faults: [{ file: "questions.json", line: null, reason: "The folder has no such file." }],
  });
});

test.each(["the-stall-that-was-not-the-disk", "when-kswapd-shrinks-a-zone-that-was-fine"])(
  "finds no error in %s",
  async (name) => {
    const checked = await checkFolder(folder(name), figures);
    expect(checked.ok ? [] : checked.faults).toEqual([]);
  },
);
