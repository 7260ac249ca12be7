//! What a kernel has that the engine has not, where it changes what reclaim and allocation do.
//!
//! Modelled: the sentences, by the kernel's features.
//! Left out: what [`Features::mechanisms`] says of details.
//! Invariants: a kernel that the engine has whole lacks nothing.

use crate::kernel::{Compaction, Features};

/// A mechanism that a kernel has and the engine has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lack {
    /// What it is.
    pub what: &'static str,
    /// What is different here.
    pub here: &'static str,
}

/// The multi-generational LRU, where a machine is known to use it.
pub const MULTIGEN: Lack = Lack {
    what: "the multi-generational LRU",
    here: "here the classic active and inactive lists are reclaimed; /sys/kernel/mm/lru_gen/enabled is 0x0000 where a real machine uses those",
};

/// Compaction of kernels whose own is not modelled.
pub const COMPACTION: Lack = Lack {
    what: "memory compaction",
    here: "here no page is moved to make large free blocks, so large requests fail or reclaim more",
};

/// All that a machine with this kernel may use and the engine lacks.
pub fn lacks(features: &Features) -> Vec<Lack> {
    let mut found = Vec::new();
    if features.multi_gen_lru {
        found.push(MULTIGEN);
    }
    if features.compaction == Compaction::NotModelled {
        found.push(COMPACTION);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;

    #[test]
    fn what_is_lacking_follows_from_the_features() {
        let of = |id: &str| lacks(&find(id).expect("a kernel").features);
        assert_eq!(of("2.6.37"), []);
        assert_eq!(of("2.6.38"), []);
        assert_eq!(of("5.10"), [COMPACTION]);
        assert_eq!(of("6.1"), [COMPACTION]);
        assert_eq!(of("6.12"), [MULTIGEN, COMPACTION]);
    }
}
