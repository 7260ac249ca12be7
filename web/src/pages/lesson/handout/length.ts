// Counts the pages of a handout before it is printed. A browser does not report them. It breaks
// columns by the same rules as pages, so the sheet is first laid out in columns of a page's size.

/** The maximum number of pages of a handout. */
const MOST_PAGES = 4;
/** The number of tightening steps: less space to write, smaller figures, then smaller text. */
export const TIGHTEST = 4;

/** The number of pages of a sheet that is laid out for measuring. */
function pagesOf(sheet: HTMLElement): number {
  const { columnGap, columnWidth } = getComputedStyle(sheet);
  const gap = Number.parseFloat(columnGap);
  return Math.round((sheet.scrollWidth + gap) / (Number.parseFloat(columnWidth) + gap));
}

/** Does a sheet have too many pages? */
export const isTooLong = (sheet: HTMLElement): boolean => pagesOf(sheet) > MOST_PAGES;
