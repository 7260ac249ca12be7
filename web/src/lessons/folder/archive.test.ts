import { readdirSync, readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { archiveOf, isArchive, readArchive } from "./archive";

const TEXTS = Object.fromEntries(
  readdirSync("lessons/watermarks-and-kswapd").map((name) => [
    name,
    readFileSync(`lessons/watermarks-and-kswapd/${name}`, "utf8"),
  ]),
);

const file = (bytes: Uint8Array, name = "mine.zip") => new File([new Uint8Array(bytes)], name);
const zip = (entries: Record<string, string>) =>
  file(zipSync(Object.fromEntries(Object.entries(entries).map(([n, t]) => [n, strToU8(t)]))));
const faultOf = async (archive: File): Promise<string | undefined> =>
  (await readArchive(archive)).faults[0]?.reason;

test("reads a saved archive back unchanged", async () => {
  const read = await readArchive(file(archiveOf("my-film", TEXTS), "renamed (1).ZIP"));
  expect(read).toEqual({ name: "my-film", texts: TEXTS, faults: [] });
  expect([isArchive({ name: "a.ZIP" }), isArchive({ name: "a.zip.json" })]).toEqual([true, false]);
});

test("reads files at the top of an archive as a lesson named after the archive and ignores other files", async () => {
  const read = await readArchive(
    zip({
      "lesson.json": "{}",
      "index.mdx": "text",
      "notes.txt": "x",
      "old/lesson.json": "old",
      "__MACOSX/lesson.json": "x",
    }),
  );
  expect(read).toEqual({
    name: "mine",
    texts: { "lesson.json": "{}", "index.mdx": "text" },
    faults: [],
  });
});

test("shows a message for an archive without a lesson and for a file that is not an archive", async () => {
  expect(await faultOf(zip({ "a/b/lesson.json": "{}" }))).toMatch(/^It contains no lesson/);
  expect(await faultOf(zip({ "../lesson.json": "{}" }))).toMatch(/^It contains no lesson/);
  expect(await faultOf(zip({ "__MACOSX/lesson.json": "{}" }))).toMatch(/^It contains no lesson/);
  expect(await faultOf(file(strToU8("not a zip at all")))).toMatch(/not a zip archive/);
  const cut = archiveOf("cut", TEXTS);
  expect(await faultOf(file(cut.slice(0, cut.length - 30)))).toMatch(/not a zip archive/);
});

test("refuses an archive with too much content before unpacking it", async () => {
  const bomb = zip({ "lesson.json": " ".repeat(2 ** 21) });
  expect(bomb.size).toBeLessThan(10_000);
  expect(await faultOf(bomb)).toMatch(/lesson\.json is larger than 1 MiB/);
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`${i}.txt`, "x"]));
  expect(await faultOf(zip({ ...many, "lesson.json": "{}" }))).toMatch(/more than 500 entries/);
  expect(await faultOf(file(new Uint8Array(9 * 2 ** 20)))).toMatch(/larger than 8 MiB/);
});

test("unpacks no more than the stated size of an entry", async () => {
  const bytes = zipSync({ "lesson.json": strToU8(" ".repeat(2 ** 21)) });
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  // The unpacked length is in the entry and in the directory at the end.
  for (let at = 0; at + 4 <= bytes.length; at += 1) {
    if (view.getUint32(at, true) === 2 ** 21) view.setUint32(at, 100, true);
  }
  const { texts } = await readArchive(file(bytes));
  expect(texts["lesson.json"]?.length ?? 0).toBeLessThanOrEqual(100);
});
