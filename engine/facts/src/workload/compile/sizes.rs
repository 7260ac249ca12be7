//! Sizes: numbers of pages, text with a unit, shares of memory.

use super::*;

/// Pages of a size; at least 1, at most `limit`.
pub(super) fn to_pages(
    layout: &Layout,
    node: usize,
    size: &Size,
    path: &str,
    limit: u64,
    out: &mut Vec<Refusal>,
) -> u32 {
    let pages = match size {
        Size::Pages(pages) => Ok(*pages),
        Size::Text(text) => {
            parse_kib(layout, node, text).map(|kib| kib.div_ceil(layout.geometry.page_kib()))
        }
    };
    in_bounds(pages, "page", limit, path, out)
}

pub(super) fn in_bounds(
    n: Result<u64, String>,
    unit: &str,
    limit: u64,
    path: &str,
    out: &mut Vec<Refusal>,
) -> u32 {
    let n = n.and_then(|n| {
        if n == 0 {
            Err(format!("at least one {unit}"))
        } else if n > limit {
            Err(format!(
                "{n} is above the limit of {limit} for this machine"
            ))
        } else {
            u32::try_from(n).map_err(|_| format!("{n} is above the limit"))
        }
    });
    n.unwrap_or_else(|reason| {
        refuse(out, path, &reason);
        1
    })
}

/// Sectors of a size in bytes: "512 B"; none for any other unit.
pub(in super::super) fn parse_bytes(text: &str) -> Option<Result<u64, String>> {
    let (number, unit) = number_and_unit(text);
    if unit != "B" {
        return None;
    }
    let bytes: Option<u64> = number.parse().ok();
    let whole = bytes.filter(|n| n % u64::from(SECTOR) == 0);
    let sectors = whole.map(|n| n / u64::from(SECTOR));
    Some(sectors.ok_or_else(|| format!("'{text}' is not a whole number of sectors of {SECTOR} B")))
}

/// KiB of a size with a unit.
pub(in super::super) fn parse_kib(layout: &Layout, node: usize, text: &str) -> Result<u64, String> {
    let bad = || {
        format!(
            "'{text}' is not a size: write pages as a number, or \"64 MiB\", \"40%\", \"40% of node\""
        )
    };
    let (number, unit) = number_and_unit(text);
    let page_kib = layout.geometry.page_kib();
    let share = |of: u64| {
        let pages = millionths(number).and_then(|n| n.checked_mul(of.into()));
        let kib = pages.map(|x| x / (100 * u128::from(MILLION)) * u128::from(page_kib));
        kib.and_then(|kib| u64::try_from(kib).ok()).ok_or_else(bad)
    };
    match unit {
        "%" => return share(layout.managed()),
        "% of node" => return share(layout.nodes.get(node).map_or(0, |n| n.managed())),
        _ => {}
    }
    let n: u64 = number.parse().map_err(|_| bad())?;
    match unit {
        "KiB" => Ok(n),
        "MiB" => n.checked_mul(1 << 10).ok_or_else(bad),
        "GiB" => n.checked_mul(1 << 20).ok_or_else(bad),
        _ => Err(bad()),
    }
}

const MILLION: u64 = 1_000_000;

/// Millionths of a number with at most six decimals: "1.5" is 1,500,000.
fn millionths(number: &str) -> Option<u128> {
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let is_plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_plain(whole) || !is_plain(part) || part.len() > 6 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    Some(u128::from(whole) * u128::from(MILLION) + u128::from(part))
}

#[cfg(test)]
mod tests {
    use super::millionths;

    #[test]
    fn reads_shares_with_up_to_six_decimals() {
        assert_eq!(millionths("24"), Some(24_000_000));
        assert_eq!(millionths("1.043478"), Some(1_043_478));
        assert_eq!(millionths("9.6"), Some(9_600_000));
        for bad in [
            "",
            ".",
            "1.",
            ".5",
            "1.2.3",
            "1.1234567",
            "99999999999999999999",
        ] {
            assert_eq!(millionths(bad), None, "{bad}");
        }
    }
}
