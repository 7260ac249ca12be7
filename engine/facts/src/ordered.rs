//! A map that is a sorted list, and sorting.
//!
//! Modelled: what this crate asks of a map: names to values, walked in order of name.
//! Left out: speed with thousands of entries inserted in no order, and the last fifth of a sort's.
//! `BTreeMap` and `sort` have them, and are compiled anew for each type: one use of either costs the
//! page's download more than all of this. What is sorted here is read once, from outside.
//! Invariants: keys ascend and stand once each.

use serde::ser::{Serialize, Serializer};

/// The places 0 to `len` in the order in which `before` puts what stands there (heap sort: never
/// slow, whoever chose the input). Equals come in any order.
pub fn order(len: usize, before: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..len).collect();
    for root in (0..len / 2).rev() {
        sift_down(&mut places, root, before);
    }
    for end in (1..len).rev() {
        places.swap(0, end);
        sift_down(&mut places[..end], 0, before);
    }
    places
}

fn sift_down(heap: &mut [usize], mut root: usize, before: &dyn Fn(usize, usize) -> bool) {
    loop {
        let mut child = 2 * root + 1;
        if child + 1 < heap.len() && before(heap[child], heap[child + 1]) {
            child += 1;
        }
        if child >= heap.len() || !before(heap[root], heap[child]) {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

/// A map in order of its keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Map<K, V>(Vec<(K, V)>);

impl<K: Ord, V> Map<K, V> {
    /// No entries.
    pub const fn new() -> Map<K, V> {
        Map(Vec::new())
    }

    /// A map of entries in any order, or the first key that stands twice.
    ///
    /// # Errors
    /// That key's entry.
    pub fn of_unique(entries: Vec<(K, V)>) -> Result<Map<K, V>, K> {
        let order = order(entries.len(), &|a, b| entries[a].0 < entries[b].0);
        let mut unsorted: Vec<_> = entries.into_iter().map(Some).collect();
        let sorted = order.into_iter().filter_map(|at| unsorted[at].take());
        let mut entries: Vec<_> = sorted.collect();
        match entries.windows(2).position(|pair| pair[0].0 == pair[1].0) {
            Some(twice) => Err(entries.swap_remove(twice).0),
            None => Ok(Map(entries)),
        }
    }

    /// Sets a value; quick where keys come in order.
    pub fn insert(&mut self, key: K, value: V) {
        let at = self.0.partition_point(|(known, _)| *known < key);
        match self.0.get_mut(at) {
            Some((known, old)) if *known == key => *old = value,
            _ => self.0.insert(at, (key, value)),
        }
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
    {
        let found = self
            .0
            .binary_search_by(|(known, _)| known.borrow().cmp(key));
        found.ok().map(|at| &self.0[at].1)
    }

    /// Keeps the entries a test passes; it may change their values.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    /// Has it no entries?
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }
}

/// The value of a key that must be there.
impl<K: Ord + std::borrow::Borrow<Q>, V, Q: Ord + ?Sized> std::ops::Index<&Q> for Map<K, V> {
    type Output = V;
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("a key that is there")
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map(Vec::new())
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = &'a (K, V);
    type IntoIter = std::slice::Iter<'a, (K, V)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Map::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_list_is_put_in_order() {
        for len in 0..200usize {
            let list: Vec<usize> = (0..len).map(|n| n * 7919 % 101).collect();
            let places = order(len, &|a, b| list[a] < list[b]);
            let found: Vec<usize> = places.iter().map(|&at| list[at]).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn entries_stand_in_order_and_once() {
        let mut map: Map<&str, i32> = [("b", 1), ("a", 2), ("c", 3), ("b", 4)]
            .into_iter()
            .collect();
        assert_eq!(
            map.iter().copied().collect::<Vec<_>>(),
            [("a", 2), ("b", 4), ("c", 3)]
        );
        map.retain(|_, value| *value != 4);
        assert_eq!((map.get("a"), map.get("b")), (Some(&2), None));
        assert_eq!(Map::of_unique(vec![("y", 1), ("x", 2), ("y", 3)]), Err("y"));
        assert!(Map::of_unique(vec![("y", 1), ("x", 2)]).is_ok_and(|map| map.get("x") == Some(&2)));
    }
}
