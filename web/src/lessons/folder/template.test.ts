import { strFromU8, unzipSync } from "fflate";
import { expect, test } from "vitest";
import { checkFolder } from "./check";
import { COMPONENTS } from "./prose";
import { LESSON_COMPONENTS, LESSON_FILES, templateArchive, templateFiles } from "./template";

test("the saved template is a lesson without a fault, in a folder of its own", async () => {
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

test("every file of the template is described, and every file that a lesson needs is in it", () => {
  const described = LESSON_FILES.map(({ name }) => name);
  expect(described).toEqual(expect.arrayContaining(Object.keys(templateFiles())));
  const needed = LESSON_FILES.filter(({ isOptional = false }) => !isOptional);
  expect(Object.keys(templateFiles())).toEqual(
    expect.arrayContaining(needed.map(({ name }) => name)),
  );
});

test("the components described are components a lesson may use", () => {
  const names = LESSON_COMPONENTS.map(({ code }) => /^<(\w+)/.exec(code)?.[1]);
  expect(Object.keys(COMPONENTS)).toEqual(expect.arrayContaining(names));
});
