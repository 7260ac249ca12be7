import { strFromU8, unzipSync } from "fflate";
import { expect, test } from "vitest";
import { checkFolder } from "./check";
import { COMPONENTS } from "./prose";
import { LESSON_COMPONENTS, LESSON_FILES, templateArchive, templateFiles } from "./template";

test("saves the template as a valid lesson in its own folder", async () => {
  const { name, bytes } = templateArchive();
  expect(name).toBe("my-lesson.zip");
  const entries = Object.entries(unzipSync(bytes));
  expect(entries.map(([path]) => path.split("/")[0])).toEqual(entries.map(() => "my-lesson"));
  const texts = Object.fromEntries(
    entries.map(([path, text]) => [path.split("/")[1] ?? "", strFromU8(text)]),
  );
  const checked = await checkFolder(texts, async () => undefined);
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  expect(checked.lesson.data.title).toBe("My lesson");
});

test("describes every file of the template, and includes every file that a lesson needs", () => {
  const described = LESSON_FILES.map(({ name }) => name);
  expect(described).toEqual(expect.arrayContaining(Object.keys(templateFiles())));
  const needed = LESSON_FILES.filter(({ isOptional = false }) => !isOptional);
  expect(Object.keys(templateFiles())).toEqual(
    expect.arrayContaining(needed.map(({ name }) => name)),
  );
});

test("describes exactly the components that a lesson may use", () => {
  const names = LESSON_COMPONENTS.map(({ code }) => /^<(\w+)/.exec(code)?.[1]);
  expect(Object.keys(COMPONENTS)).toEqual(expect.arrayContaining(names));
});
