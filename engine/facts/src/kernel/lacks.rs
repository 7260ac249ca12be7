//! Mechanisms of a kernel that the engine lacks and that influence reclaim or allocation.
//!
//! Modelled: the sentences, chosen by the kernel's features.
//! Left out: details, which [`Features::mechanisms`] describes.
//! Invariants: the list is empty for a kernel that the engine models completely.

use crate::kernel::{Compaction, Features};

/// A mechanism that a kernel has and the engine lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lack {
    /// The mechanism.
    pub what: &'static str,
    /// What is different here.
    pub here: &'static str,
}

/// The multi-generational LRU, for kernels that use it and whose own is not modelled.
pub const MULTIGEN: Lack = Lack {
    what: "the multi-generational LRU",
    here: "here the classic active and inactive lists are reclaimed; a real machine that uses those has 0x0000 in /sys/kernel/mm/lru_gen/enabled",
};

/// Compaction, for kernels whose compaction is not modelled.
pub const COMPACTION: Lack = Lack {
    what: "memory compaction",
    here: "here no page is moved to make large free blocks, so large requests fail or reclaim more pages",
};

/// All mechanisms that the engine lacks and that a machine with this kernel may use.
pub fn lacks(features: &Features) -> Vec<Lack> {
    let mut found = Vec::new();
    if features.multi_gen_lru && !features.lru_gen.is_modelled() {
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
    fn lists_the_mechanisms_of_each_kernel_that_the_engine_does_not_model() {
        let of = |id: &str| lacks(&find(id).expect("a kernel").features);
        assert_eq!(of("2.6.37"), []);
        assert_eq!(of("2.6.38"), []);
        assert_eq!(of("3.10"), [COMPACTION]);
        assert_eq!(of("4.4"), [COMPACTION]);
        assert_eq!(of("4.9"), [COMPACTION]);
        assert_eq!(of("5.4"), [COMPACTION]);
        assert_eq!(of("5.10"), [COMPACTION]);
        assert_eq!(of("6.1"), [COMPACTION]);
        assert_eq!(of("6.12"), [COMPACTION]);
    }
}
