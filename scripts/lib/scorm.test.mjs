import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
// @ts-expect-error: it has no types
import { JSDOM } from "jsdom";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Refusal } from "./project.mjs";
import { manifestOf, writePackage } from "./scorm.mjs";

const work = mkdtempSync(join(tmpdir(), "scorm-"));
const [dist, lessons] = [join(work, "dist"), join(work, "lessons")];
beforeAll(() => {
  for (const folder of [join(dist, "assets"), join(dist, ".vite"), join(lessons, "two-zones")])
    mkdirSync(folder, { recursive: true });
  for (const name of ["index.html", "offline.js", ".vite/manifest.json", "assets/a b&c.js"])
    writeFileSync(join(dist, name), name);
  const head = { title: 'Two zones & "one" <kswapd>' };
  writeFileSync(join(lessons, "two-zones", "lesson.json"), JSON.stringify(head));
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const XML = new JSDOM("").window.DOMParser;
/** @param {string} text */
const parse = (text) => new XML().parseFromString(text, "application/xml");

/**
 * The elements that an element may contain, in this order: IMS Content Packaging 1.1.2 with the ADL
 * elements of SCORM 1.2.
 * @type {Record<string, { children: string[], needs: string[] }>}
 */
const ORDER = {
  manifest: {
    children: ["metadata", "organizations", "resources", "manifest"],
    needs: ["identifier"],
  },
  metadata: { children: ["schema", "schemaversion"], needs: [] },
  organizations: { children: ["organization"], needs: ["default"] },
  organization: { children: ["title", "item", "metadata"], needs: ["identifier"] },
  item: {
    children: [
      ...["title", "item", "metadata", "adlcp:prerequisites", "adlcp:maxtimeallowed"],
      ...["adlcp:timelimitaction", "adlcp:datafromlms", "adlcp:masteryscore"],
    ],
    needs: ["identifier", "identifierref"],
  },
  resources: { children: ["resource"], needs: [] },
  resource: {
    children: ["metadata", "file", "dependency"],
    needs: ["identifier", "type", "href", "adlcp:scormtype"],
  },
  file: { children: [], needs: ["href"] },
};

/** All faults of an element and its children. @param {Element} element @returns {string[]} */
function faultsOf(element) {
  const rule = ORDER[element.tagName];
  if (!rule) return element.children.length > 0 ? [`${element.tagName} has children`] : [];
  const places = [...element.children].map(({ tagName }) => rule.children.indexOf(tagName));
  return [
    ...rule.needs.filter((name) => !element.hasAttribute(name)).map((name) => `no ${name}`),
    ...(places.includes(-1) ? [`${element.tagName} has an unknown child`] : []),
    ...(places.some((place, i) => place < (places[i - 1] ?? 0))
      ? [`${element.tagName}: order`]
      : []),
    ...[...element.children].flatMap(faultsOf),
  ];
}

test("the manifest has its elements in the order of the standard, and its ids are consistent", () => {
  const text = manifestOf({
    lesson: "two-zones",
    title: 'A & "b" <c>',
    files: ["launch.html", "page/a b&c.js"],
  });
  const { documentElement: manifest } = parse(text);
  expect(faultsOf(manifest)).toEqual([]);
  expect(manifest.querySelector("schemaversion")?.textContent).toBe("1.2");
  expect(manifest.querySelector("item > title")?.textContent).toBe('A & "b" <c>');
  const of = (/** @type {string} */ selector, /** @type {string} */ name) =>
    manifest.querySelector(selector)?.getAttribute(name);
  expect(of("organizations", "default")).toBe(of("organization", "identifier"));
  expect(of("item", "identifierref")).toBe(of("resource", "identifier"));
  expect(of("resource", "adlcp:scormtype")).toBe("sco");
  // Each is an XML id: they are unique, and none begins with a digit.
  const ids = [...text.matchAll(/ identifier="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z_][\w.-]*$/);
});

test("the archive has every file of its manifest, the name of the lesson, and no service worker", () => {
  const archive = writePackage({ lesson: "two-zones", lessons, dist, out: join(work, "out") });
  const entries = unzipSync(readFileSync(archive));
  const named = [
    ...parse(strFromU8(entries["imsmanifest.xml"] ?? new Uint8Array())).querySelectorAll("file"),
  ];
  const hrefs = named.map((file) => decodeURIComponent(file.getAttribute("href") ?? ""));
  expect([...hrefs, "imsmanifest.xml"].sort()).toEqual(Object.keys(entries).sort());
  expect(hrefs).toContain("page/assets/a b&c.js");
  expect(hrefs.filter((href) => /offline|\.vite|test/.test(href))).toEqual([]);
  const launch = strFromU8(entries["launch.html"] ?? new Uint8Array());
  expect(launch).toContain('data-lesson="two-zones"');
  expect(launch).toContain("<title>Two zones &amp; &quot;one&quot; &lt;kswapd&gt;</title>");
});

test("the same files give an identical archive", () => {
  const [one, two] = ["one", "two"].map((name) =>
    readFileSync(writePackage({ lesson: "two-zones", lessons, dist, out: join(work, name) })),
  );
  expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true);
});

test("refuses an unknown lesson and lists the known ones", () => {
  const write = (/** @type {string | undefined} */ lesson) => () =>
    writePackage({ lesson, lessons, dist, out: work });
  expect(write("three-zones")).toThrow(Refusal);
  expect(write("three-zones")).toThrow(/no lesson "three-zones".*Lessons: two-zones\./);
  expect(write(undefined)).toThrow(/Say which lesson/);
});
