// How mmscope shows a page in a frame of another site: parameters of the fragment. The frame
// reports a wrong parameter and shows the page nevertheless.
//
//   embed=stage|lesson|report    only that, without the rest of the page
//   theme=light|dark|auto        auto: the theme of the reader's system
//   controls=play,step,...       controls of a stage, see CONTROLS; "none" for none

/** The kinds of frames, with the page that each shows. */
const EMBEDS = { workbench: "stage", lesson: "lesson", report: "report" } as const;
/** A page that can be shown in a frame. */
export type EmbeddedPage = keyof typeof EMBEDS;

/** Themes of a frame. */
export const THEMES = ["auto", "light", "dark"] as const;
/** One of {@link THEMES}. */
export type EmbedTheme = (typeof THEMES)[number];

/** The controls that a frame can show below a stage. */
export const CONTROLS = ["play", "step", "back", "ends", "timeline", "why"] as const;
/** One of {@link CONTROLS}. */
export type EmbedControl = (typeof CONTROLS)[number];

/** The controls of a frame whose address names none. */
export const USUAL_CONTROLS: readonly EmbedControl[] = ["play", "step", "back", "timeline", "why"];
const NO_CONTROLS = "none";

/** The options of a page in a frame. */
export interface Embed {
  readonly theme: EmbedTheme;
  readonly controls: readonly EmbedControl[];
  /** The wrong parameters, one sentence each. */
  readonly faults: readonly string[];
}

/** A frame without any options. */
export const USUAL_EMBED: Embed = { theme: "auto", controls: USUAL_CONTROLS, faults: [] };

/** Reads a page's query; null if the page is not in a frame. */
export function readEmbed(page: EmbeddedPage, query: string): Embed | null {
  const of = (name: string) => new RegExp(`(?:^|&)${name}=([^&]*)`, "s").exec(query)?.[1] ?? null;
  const kind = of("embed");
  if (kind === null) return null;
  const faults: string[] = [];
  const own = EMBEDS[page];
  if (kind !== own)
    faults.push(`embed: this address shows a ${own}, not ${quoted(kind)}. Write embed=${own}.`);
  const asked = of("theme");
  const theme = THEMES.find((known) => known === (asked ?? "auto"));
  if (!theme)
    faults.push(`theme: ${quoted(asked ?? "")} is unknown; choose from ${THEMES.join(", ")}.`);
  const controls = controlsOf(of("controls"), page, faults);
  return { theme: theme ?? "auto", controls, faults };
}

function controlsOf(
  asked: string | null,
  page: EmbeddedPage,
  faults: string[],
): readonly EmbedControl[] {
  if (asked === null) return USUAL_CONTROLS;
  if (page !== "workbench") {
    faults.push(`controls: only a stage has controls to choose; a ${EMBEDS[page]} has its own.`);
    return USUAL_CONTROLS;
  }
  if (asked === NO_CONTROLS) return [];
  const names = asked.split(",");
  const unknown = names.filter((name) => !CONTROLS.some((known) => known === name));
  if (unknown.length > 0) {
    const listed = unknown.slice(0, 3).map(quoted).join(", ");
    faults.push(
      `controls: ${listed} is unknown; choose from ${CONTROLS.join(", ")} and ${NO_CONTROLS}.`,
    );
  }
  const known = CONTROLS.filter((name) => names.includes(name));
  return known.length > 0 ? known : USUAL_CONTROLS;
}

const MOST_QUOTED = 24;
const quoted = (text: string) =>
  `“${text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text}”`;

/** The parameters of a frame, without the ones that have their default. */
export function embedQuery(page: EmbeddedPage, { theme, controls }: Embed): string {
  const isUsual = controls.join() === USUAL_CONTROLS.join();
  return [
    `embed=${EMBEDS[page]}`,
    ...(theme === "auto" ? [] : [`theme=${theme}`]),
    ...(isUsual || page !== "workbench" ? [] : [`controls=${controls.join() || NO_CONTROLS}`]),
  ].join("&");
}

/** The sizes of a frame that the page offers, px. */
export const FRAME_SIZES = [
  { words: "640 × 400", width: "640", height: "400" },
  { words: "as wide as the text × 480", width: "100%", height: "480" },
  { words: "960 × 640", width: "960", height: "640" },
] as const;
/** One of {@link FRAME_SIZES}. */
export type FrameSize = (typeof FRAME_SIZES)[number];

/** The HTML to paste into another page. */
export function frameCode(url: string, title: string, { width, height }: FrameSize): string {
  const name = title === "" ? "mmscope" : `mmscope: ${title}`;
  return `<iframe src="${inAttribute(url)}" title="${inAttribute(name)}" width="${width}" height="${height}" loading="lazy"></iframe>`;
}

const inAttribute = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
