// The location of a modelled function in a public browser of the kernel's sources. The page itself
// sends no request there; these are links for the user to follow.

import type { FunctionInfo } from "../engine/types";

const HOST = "https://elixir.bootlin.com/linux";

/**
 * The kernel's names of a function that differ from the engine's name, each with the first release
 * that uses it, oldest first.
 */
type Names = readonly (readonly [release: string, name: string])[];

/** The engine's names leave out underscores, distinguish loops, and follow one release. */
const CALLED: Readonly<Record<string, Names>> = {
  "balance_pgdat (scans)": [["2.6", "balance_pgdat"]],
  "balance_pgdat (zones)": [["2.6", "balance_pgdat"]],
  "do_numa_page (v18)": [["2.6", "do_numa_page"]],
  alloc_pages_nodemask: [
    ["2.6", "__alloc_pages_nodemask"],
    ["5.13", "__alloc_pages"],
    ["6.10", "__alloc_pages_noprof"],
  ],
  alloc_pages_slowpath: [["2.6", "__alloc_pages_slowpath"]],
  wake_all_kswapds: [
    ["2.6", "wake_all_kswapd"],
    ["3.14", "wake_all_kswapds"],
  ],
  rmqueue: [
    ["2.6", "buffered_rmqueue"],
    ["4.10", "rmqueue"],
  ],
  rmqueue_smallest: [["2.6", "__rmqueue_smallest"]],
  rmqueue_fallback: [["2.6", "__rmqueue_fallback"]],
  free_unref_page_list: [
    ["2.6", "__pagevec_free"],
    ["3.3", "free_hot_cold_page_list"],
    ["4.15", "free_unref_page_list"],
    ["6.10", "free_unref_folios"],
  ],
  add_to_page_cache_lru: [
    ["2.6", "add_to_page_cache_lru"],
    ["5.16", "filemap_add_folio"],
  ],
  filemap_read: [
    ["2.6", "do_generic_file_read"],
    ["4.16", "generic_file_buffered_read"],
    ["5.12", "filemap_read"],
  ],
  page_cache_readahead: [
    ["2.6", "ondemand_readahead"],
    ["6.11", "page_cache_sync_ra"],
  ],
  shrink_lruvec: [
    ["2.6", "shrink_zone"],
    ["3.6", "shrink_lruvec"],
  ],
  shrink_page_list: [
    ["2.6", "shrink_page_list"],
    ["5.19", "shrink_folio_list"],
  ],
  zone_reclaim: [
    ["2.6", "zone_reclaim"],
    ["4.8", "node_reclaim"],
  ],
  __zone_reclaim: [
    ["2.6", "__zone_reclaim"],
    ["4.8", "__node_reclaim"],
  ],
  get_request_wait: [
    ["2.6", "get_request_wait"],
    ["3.6", "get_request"],
    ["5.0", "blk_mq_get_tag"],
  ],
  d_alloc_and_lookup: [
    ["2.6", "d_alloc_and_lookup"],
    ["3.6", "lookup_open"],
  ],
  wb_workfn: [
    ["2.6", "bdi_writeback_thread"],
    ["3.10", "bdi_writeback_workfn"],
    ["4.2", "wb_workfn"],
  ],
};

const parts = (release: string) => release.replace(/^v/, "").split(".").map(Number);

/** Is a release this one or a later one? */
function isFrom(release: string, from: string): boolean {
  const [a, b] = [parts(release), parts(from)];
  for (const [i, least] of b.entries()) {
    const here = a[i] ?? 0;
    if (here !== least) return here > least;
  }
  return true;
}

/**
 * Does a tag belong to this release, or to a stable release of it? "v6.1.176" is of 6.1, "v6.12" is
 * not.
 */
const isOf = (tag: string, release: string) =>
  tag === `v${release}` || tag.startsWith(`v${release}.`);

/** The location of a function's source. */
export interface Source {
  readonly href: string;
  /** The kernel's name of the function in that release. */
  readonly name: string;
  /** The release, in the form of its tag. */
  readonly tag: string;
}

/** A function in the sources of a release; null if no kernel has it. */
export function sourceOf(
  { name, file, source }: Pick<FunctionInfo, "name" | "file" | "source">,
  release: string,
): Source | null {
  if (file === "") return null;
  const called = CALLED[name]?.filter(([from]) => isFrom(release, from)).at(-1)?.[1] ?? name;
  if (source && isOf(source[0], release)) {
    const [tag, line] = source;
    return { href: `${HOST}/${tag}/source/${file}#L${line}`, name: called, tag };
  }
  const tag = `v${release}`;
  return { href: `${HOST}/${tag}/A/ident/${called}`, name: called, tag };
}
