// Converts between the setup of the page around the machine and the fields of a link.

import type { Link } from "../link/link";
import { isKey } from "./goals";
import { MOST_KEY } from "./selection";
import type { WorkbenchState } from "./store";
import { fromLink, toLink } from "./watch";

/** Everything that the user set up around a machine; another experiment starts without it. */
export type Setup = Pick<
  WorkbenchState,
  | "followed"
  | "selected"
  | "lists"
  | "breakpoints"
  | "bookmarks"
  | "title"
  | "note"
  | "result"
  | "face"
  | "isOfBlocks"
  | "isOfCpus"
  | "isOfProcesses"
  | "sideTab"
  | "isFolded"
  | "isLogOpen"
  | "logView"
  | "tracks"
  | "range"
  | "window"
  | "zoom"
>;

/** Nothing set up yet. */
export const EMPTY_SETUP: Setup = {
  followed: null,
  selected: [],
  lists: {},
  breakpoints: [],
  bookmarks: [],
  title: "",
  note: "",
  result: null,
  face: "lru",
  isOfBlocks: false,
  isOfCpus: false,
  isOfProcesses: false,
  sideTab: "step",
  isFolded: null,
  isLogOpen: false,
  logView: { search: "", events: [] },
  tracks: [],
  range: null,
  window: null,
  zoom: {},
};

const NAMES = Object.keys(EMPTY_SETUP) as (keyof Setup)[];

/** The present setup around a machine. */
export const setupOf = (state: WorkbenchState): Setup =>
  Object.fromEntries(NAMES.map((name) => [name, state[name]])) as unknown as Setup;

/** Whether it contains the user's work, not only display settings. */
export const isMade = (setup: Partial<Setup>): boolean =>
  ["title", "note", "bookmarks", "breakpoints", "result"].some((name) => name in setup);

/** The setup in a link. */
export function fromLinked(link: Omit<Link, "experiment" | "cursor">): Setup {
  const { view } = link;
  return {
    followed: link.followed,
    selected: link.selected.filter(isKey),
    lists: link.lists,
    breakpoints: link.breakpoints.map(fromLink),
    bookmarks: link.bookmarks,
    title: link.title,
    note: link.note,
    result: link.result,
    face: view.face ?? EMPTY_SETUP.face,
    isOfBlocks: view.blocks ?? EMPTY_SETUP.isOfBlocks,
    isOfCpus: view.cpus ?? EMPTY_SETUP.isOfCpus,
    isOfProcesses: view.processes ?? EMPTY_SETUP.isOfProcesses,
    sideTab: view.tab ?? EMPTY_SETUP.sideTab,
    isFolded: view.folded ?? null,
    isLogOpen: view.log !== undefined,
    logView: view.log ?? EMPTY_SETUP.logView,
    tracks: view.tracks,
    range: view.range ?? null,
    window: view.window ?? null,
    zoom: view.zoom,
  };
}

/** The fields of a link for a setup. */
export function toLinked(setup: Setup): Omit<Link, "experiment" | "cursor"> {
  const { face, isOfBlocks, isOfCpus, isOfProcesses, sideTab } = setup;
  const { isFolded, isLogOpen, logView } = setup;
  const { tracks, range, window, zoom } = setup;
  return {
    followed: setup.followed,
    selected: setup.selected.filter((key) => key.length <= MOST_KEY),
    lists: setup.lists,
    breakpoints: setup.breakpoints.map(toLink),
    bookmarks: [...setup.bookmarks],
    title: setup.title,
    note: setup.note,
    result: setup.result,
    view: {
      ...(face === "free" && { face }),
      ...(isOfBlocks && { blocks: true }),
      ...(isOfCpus && { cpus: true }),
      ...(isOfProcesses && { processes: true }),
      ...(sideTab !== "step" && { tab: sideTab }),
      ...(isFolded !== null && { folded: isFolded }),
      ...(isLogOpen && { log: logView }),
      tracks: [...tracks],
      ...(range && { range: [...range] }),
      ...(window && { window: [...window] }),
      zoom,
    },
  };
}
