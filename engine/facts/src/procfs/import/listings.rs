//! Several listings of /proc/zoneinfo in one paste.
//!
//! Modelled: a listing ends where the next begins with the same zone.
//! Left out: listings whose zones alternate.
//! Invariants: a text with one listing is never split.

use crate::procfs::import::dump;
use crate::procfs::parse::RawZone;
use crate::profile::refuse;
use crate::view::Refusal;

/// The zones of each listing, in the order of the text; there is at least one listing, which may be empty.
pub fn listings(raw: &[RawZone]) -> Vec<&[RawZone]> {
    let Some(first) = raw.first() else {
        return vec![raw];
    };
    let begins = |zone: &RawZone| (zone.node, &zone.name) == (first.node, &first.name);
    let mut starts: Vec<usize> = (0..raw.len()).filter(|&at| begins(&raw[at])).collect();
    starts.push(raw.len());
    let parts: Vec<&[RawZone]> = starts
        .windows(2)
        .map(|pair| &raw[pair[0]..pair[1]])
        .collect();
    // A zone that appears twice in one listing is a mistake; then the parts are not listings.
    let is_whole = |part: &&[RawZone]| dump::gather(part).is_ok();
    if parts.len() > 1 && !parts.iter().any(is_whole) {
        return vec![raw];
    }
    parts
}

/// The listing that the user chose, or the only one.
///
/// # Errors The text has several listings and none was chosen, or the chosen listing does not exist.
pub fn chosen(raw: &[RawZone], listing: Option<u32>) -> Result<&[RawZone], Vec<Refusal>> {
    let parts = listings(raw);
    let count = parts.len();
    let one = |reason: String| vec![refuse("listing", reason)];
    match (listing, count) {
        (None, 1) => Ok(raw),
        (None, _) => {
            let lines = parts.iter().filter_map(|part| part.first());
            let lines: Vec<String> = lines.map(|zone| zone.line.to_string()).collect();
            Err(one(format!(
                "the text has {count} listings of /proc/zoneinfo, which begin at lines {}; choose one of them: 1 to {count}",
                lines.join(", ")
            )))
        }
        (Some(listing), _) => {
            let index = usize::try_from(listing).unwrap_or(usize::MAX);
            let part = index.checked_sub(1).and_then(|index| parts.get(index));
            part.copied().ok_or_else(|| {
                let there = match count {
                    1 => "the text has one listing".to_string(),
                    _ => format!("the text has listings 1 to {count}"),
                };
                one(format!("listing {listing} does not exist: {there}"))
            })
        }
    }
}
