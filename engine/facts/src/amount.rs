//! Amounts that a user can set, with arithmetic that does not wrap.
//!
//! Modelled: nothing of the kernel, whose `unsigned long` holds any product of a limit and a small number.
//! This type has 32 bits and saturates, because a limit above a machine's memory has the same effect as any
//! larger one.
//! Left out: division by 0, which no caller does.
//! Invariants: no operation wraps, in any build. A sum or product beyond the range becomes the largest
//! amount; a difference below 0 becomes 0.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

use crate::state::{State, StateHasher, Walk};

/// Pages of a limit: a watermark, a boost, a reserve, or an amount computed from them. Saturates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Pages(u32);

impl Pages {
    /// Zero pages.
    pub const ZERO: Pages = Pages(0);
    /// The largest amount.
    pub const MAX: Pages = Pages(u32::MAX);

    /// An amount of this many pages.
    pub const fn new(pages: u32) -> Pages {
        Pages(pages)
    }

    /// An amount of this many pages; if they exceed the range, the largest amount.
    pub fn of(pages: u64) -> Pages {
        Pages(u32::try_from(pages).unwrap_or(u32::MAX))
    }

    /// The amount as a number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl Add for Pages {
    type Output = Pages;
    #[inline]
    fn add(self, other: Pages) -> Pages {
        Pages(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Pages {
    #[inline]
    fn add_assign(&mut self, other: Pages) {
        *self = *self + other;
    }
}

impl Sub for Pages {
    type Output = Pages;
    #[inline]
    fn sub(self, other: Pages) -> Pages {
        Pages(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Pages {
    #[inline]
    fn sub_assign(&mut self, other: Pages) {
        *self = *self - other;
    }
}

impl Mul<u32> for Pages {
    type Output = Pages;
    #[inline]
    fn mul(self, by: u32) -> Pages {
        Pages(self.0.saturating_mul(by))
    }
}

impl Div<u32> for Pages {
    type Output = Pages;
    #[inline]
    fn div(self, by: u32) -> Pages {
        Pages(self.0 / by)
    }
}

impl Sum for Pages {
    fn sum<I: Iterator<Item = Pages>>(amounts: I) -> Pages {
        amounts.fold(Pages::ZERO, Add::add)
    }
}

impl From<Pages> for u32 {
    #[inline]
    fn from(pages: Pages) -> u32 {
        pages.0
    }
}

impl From<Pages> for u64 {
    #[inline]
    fn from(pages: Pages) -> u64 {
        pages.0.into()
    }
}

impl From<Pages> for i64 {
    #[inline]
    fn from(pages: Pages) -> i64 {
        pages.0.into()
    }
}

/// Hashed and modified like the number it contains.
impl State for Pages {
    fn flip(&mut self, walk: &mut Walk) {
        self.0.flip(walk);
    }
    #[inline]
    fn hash(&self, hasher: &mut StateHasher) {
        self.0.hash(hasher);
    }
    fn is_at_rest(&self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_saturate_instead_of_wrapping() {
        let (most, one) = (Pages::MAX, Pages::new(1));
        assert_eq!(most + one, most);
        assert_eq!(Pages::ZERO - one, Pages::ZERO);
        assert_eq!(Pages::new(1 << 30) * 7, most);
        assert_eq!(Pages::of(u64::MAX), most);
        assert_eq!([most, most].into_iter().sum::<Pages>(), most);
        let mut pages = most;
        pages += one;
        assert_eq!(pages, most);
        pages -= most;
        pages -= one;
        assert_eq!(pages, Pages::ZERO);
        assert_eq!(Pages::new(9) / 4, Pages::new(2));
    }
}
