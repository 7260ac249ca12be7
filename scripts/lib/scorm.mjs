// A lesson as a SCORM 1.2 package: one archive with the built page, a page that opens the lesson and
// reports to the learning platform, and the manifest.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { zipSync } from "fflate";
import { filesBelow } from "./freshness.mjs";
import { Refusal } from "./project.mjs";

const launcher = join(dirname(fileURLToPath(import.meta.url)), "scorm");

/** The folder of the built page in the package. */
const PAGE = "page";
/**
 * Files of the built page that only the build or the service worker needs, so the package leaves
 * them out.
 */
const LEFT_OUT = /^(\.vite\/|offline\.js$)/;
/** A fixed date, so that the same files make the same archive; a zip has no time before 1980. */
const TIME = new Date("1980-01-01T00:00:00");

/** @param {string} text */
const escaped = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/**
 * The manifest, with its elements in the order of IMS Content Packaging 1.1.2 and ADL SCORM 1.2.
 * @param {{ lesson: string, title: string, files: readonly string[] }} package_
 */
export function manifestOf({ lesson, title, files }) {
  const file = (/** @type {string} */ path) =>
    `      <file href="${escaped(path.split("/").map(encodeURIComponent).join("/"))}"/>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="mmscope-${lesson}" version="1.0"
    xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
    xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
  <metadata>
    <schema>ADL SCORM</schema>
    <schemaversion>1.2</schemaversion>
  </metadata>
  <organizations default="mmscope">
    <organization identifier="mmscope">
      <title>${escaped(title)}</title>
      <item identifier="item-${lesson}" identifierref="resource-${lesson}" isvisible="true">
        <title>${escaped(title)}</title>
      </item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="resource-${lesson}" type="webcontent" adlcp:scormtype="sco" href="launch.html">
${files.map(file).join("\n")}
    </resource>
  </resources>
</manifest>
`;
}

/**
 * The files of a package, by their paths.
 * @param {{ lesson: string, title: string, dist: string }} of
 * @returns {Record<string, Uint8Array>}
 */
function filesOf({ lesson, title, dist }) {
  const page = filesBelow(dist)
    .map((path) => relative(dist, path).split(sep).join("/"))
    .filter((path) => !LEFT_OUT.test(path))
    .map((path) => [`${PAGE}/${path}`, readFileSync(join(dist, path))]);
  const launch = readdirSync(launcher)
    .filter((name) => !name.includes(".test."))
    .map((name) => [name, readFileSync(join(launcher, name))]);
  const files = Object.fromEntries([...launch, ...page]);
  const html = files["launch.html"].toString();
  const filled = html.replace("LESSON", lesson).replaceAll("TITLE", escaped(title));
  files["launch.html"] = Buffer.from(filled);
  return files;
}

/**
 * Writes the package of a lesson; refuses an unknown lesson.
 * @param {{ lesson: string | undefined, lessons: string, dist: string, out: string }} of
 * @returns {string} the archive
 */
export function writePackage({ lesson, lessons, dist, out }) {
  const known = readdirSync(lessons).filter((name) =>
    existsSync(join(lessons, name, "lesson.json")),
  );
  if (lesson === undefined || !known.includes(lesson)) {
    const wrong = lesson === undefined ? "Say which lesson" : `There is no lesson "${lesson}"`;
    throw new Refusal(`${wrong}: npm run scorm -- LESSON. Lessons: ${known.join(", ")}.`);
  }
  const { title } = JSON.parse(readFileSync(join(lessons, lesson, "lesson.json"), "utf8"));
  const files = filesOf({ lesson, title, dist });
  const manifest = manifestOf({ lesson, title, files: Object.keys(files).sort() });
  const archive = join(out, `mmscope-${lesson}.scorm.zip`);
  mkdirSync(out, { recursive: true });
  const entries = { "imsmanifest.xml": Buffer.from(manifest), ...files };
  writeFileSync(archive, zipSync(entries, { level: 6, mtime: TIME }));
  return archive;
}
