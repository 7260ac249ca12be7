// How many pages a handout takes, before it is printed. A browser does not tell; but columns are
// broken by the same rules as pages, so a sheet is laid out in columns of a page's size first.

/** The most pages a handout has. */
const MOST_PAGES = 4;
/** How far a handout can be tightened: less room to write, smaller figures, then smaller text. */
export const TIGHTEST = 4;

/** How many pages a sheet takes that is laid out to be measured. */
function pagesOf(sheet: HTMLElement): number {
  const { columnGap, columnWidth } = getComputedStyle(sheet);
  const gap = Number.parseFloat(columnGap);
  return Math.round((sheet.scrollWidth + gap) / (Number.parseFloat(columnWidth) + gap));
}

/** Does a sheet take more pages than it may? */
export const isTooLong = (sheet: HTMLElement): boolean => pagesOf(sheet) > MOST_PAGES;
