//! The guest's settings (`sysctl.txt`): lines `name value`, then huge pages and the multi-generational
//! LRU in one line.

use std::collections::BTreeMap;

/// Settings of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Sysctls by their names without directory.
    pub values: BTreeMap<String, String>,
    /// The line numbers of the sysctls, from 1.
    pub lines: BTreeMap<String, usize>,
    /// `/sys/kernel/mm/transparent_hugepage/enabled`: always, madvise or never.
    pub thp: Option<String>,
    /// `/sys/kernel/mm/transparent_hugepage/defrag`.
    pub defrag: Option<String>,
    /// `/sys/kernel/mm/lru_gen/enabled`: the bits of the multi-generational LRU, 0 if it was off.
    pub lru_gen: Option<u64>,
}

impl Settings {
    /// Reads the file.
    pub fn parse(text: &str) -> Settings {
        let mut settings = Settings::default();
        for (number, line) in (1..).zip(text.lines()) {
            let Some((name, value)) = line.split_once([' ', '\t']) else {
                continue;
            };
            if name == "thp" {
                settings.huge_pages(value);
            } else {
                let words: Vec<&str> = value.split_whitespace().collect();
                settings.values.insert(name.to_string(), words.join(" "));
                settings.lines.insert(name.to_string(), number);
            }
        }
        settings
    }

    /// `always madvise [never] defrag [always] never lru_gen 0x0000`: the words in brackets, and the bits of
    /// the multi-generational LRU. A kernel without it prints nothing after its name.
    fn huge_pages(&mut self, line: &str) {
        let chosen = |text: &str| {
            let mut words = text.split_whitespace();
            let found = words.find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
            found.map(str::to_string)
        };
        let (line, lru_gen) = line.split_once("lru_gen").unwrap_or((line, ""));
        let (enabled, defrag) = line.split_once("defrag").unwrap_or((line, ""));
        self.thp = chosen(enabled);
        self.defrag = chosen(defrag);
        let bits = lru_gen.trim().strip_prefix("0x");
        self.lru_gen = bits.and_then(|bits| u64::from_str_radix(bits, 16).ok());
    }

    /// A sysctl that is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.values.get(name)?.parse().ok()
    }
}

/// The sum of the sizes in /proc/swaps, KiB.
pub fn swap_kib(swaps: &str) -> u64 {
    let sizes = swaps.lines().skip(1);
    let size = |line: &str| line.split_whitespace().nth(2)?.parse::<u64>().ok();
    sizes.filter_map(size).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sysctls_huge_pages_and_swap_of_a_guest_are_read() {
        let text = "swappiness 60\nlowmem_reserve_ratio 256\t256\t32\nthp always madvise [never] defrag [always] lru_gen 0x0000\n";
        let set = Settings::parse(text);
        assert_eq!(set.values["lowmem_reserve_ratio"], "256 256 32");
        assert_eq!(set.number("swappiness"), Some(60));
        assert_eq!(
            (set.thp.as_deref(), set.defrag.as_deref(), set.lru_gen),
            (Some("never"), Some("always"), Some(0))
        );
        assert!(!set.values.contains_key("thp"));
        let of = |line: &str| Settings::parse(line).lru_gen;
        assert_eq!(of("thp always madvise [never] lru_gen "), None);
        assert_eq!(of("thp [always] lru_gen 0x0007"), Some(7));
        let swaps = "Filename Type Size Used Priority\nvdb partition 1048572 0 -2\n";
        assert_eq!(swap_kib(swaps), 1_048_572);
    }
}
