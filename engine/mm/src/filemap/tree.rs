//! Files and the trees of their cached pages (lib/xarray.c, lib/radix-tree.c, mm/workingset.c).
//!
//! Modelled: files that are contiguous on their device; for each file, a tree of nodes with 64
//! slots. A slot holds a page or the shadow of an evicted page, with a tag for dirty pages. The
//! limit on nodes that hold only shadows.
//! Left out: holes before the last page ever written; the inner nodes of the tree (a file has a
//! plain table of its leaves).
//! Visible difference: a file needs one tree node less per 4,096 pages. Shadow nodes above the
//! limit are dropped immediately, oldest first, for all NUMA nodes together; a kernel waits for the
//! slab shrinker and counts them for each NUMA node.
//! Invariants: a tree node exists exactly while it holds a page or a shadow, and has an object of
//! the slab cache; a file's counts equal the contents of its nodes.

use facts::index::FrameIndex;
use facts::state::{CloneFrom, State};

mod recount;
mod shadows;
#[cfg(test)]
mod tests;

use crate::frames::NONE;
use crate::touched::Touched;
use crate::workingset::Shadow;

/// Slots of a node (`XA_CHUNK_SIZE`, `RADIX_TREE_MAP_SIZE`).
pub const SLOTS: u32 = 64;
/// This bit marks a slot that holds a shadow; such a slot is never [`NONE`].
const SHADOW: u32 = 1 << 31;
/// Maximum number of nodes with only shadows, whatever the machine's size: 37 MB of the engine's
/// memory.
const MOST_SHADOW_NODES: u32 = 1 << 17;

/// Content of a slot of a file's page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The slot is empty.
    Empty,
    /// Frame of a cached page.
    Page(FrameIndex),
    /// The shadow of an evicted page.
    Shadow(Shadow),
}

/// One file (`struct inode` with its `struct address_space`).
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct File {
    /// Size in pages (`i_size`).
    pub pages: u32,
    /// Pages from here on were never written; they are holes, which are read without the device.
    pub written: u32,
    /// Device that holds the file.
    pub device: u8,
    /// True if the file has a name: `unlink` removes the name until the file is created again.
    pub linked: bool,
    /// First page on the device.
    pub start: u64,
    /// Cached pages (`nrpages`).
    pub nr_pages: u32,
    /// Number of cached pages that are dirty (`PAGECACHE_TAG_DIRTY`).
    pub nr_dirty: u32,
    /// Number of nodes in the tree.
    pub nr_nodes: u32,
    /// When the first of the dirty pages became dirty, ns (`dirtied_when`).
    pub dirtied_when: u64,
    /// Number of tasks that have the file open.
    pub users: u32,
    /// Object in the inode cache, [`NONE`] for none.
    pub inode: u32,
    /// Object in the dentry cache, [`NONE`] for none.
    pub dentry: u32,
    /// (space, region) of every mapping (`i_mmap`).
    pub mappings: Vec<(u32, u32)>,
    /// Leaf node for every 64 pages, [`NONE`] for none; the table never shrinks.
    table: Vec<u32>,
}

/// Data of a leaf node apart from its slots (`struct xa_node`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
struct Node {
    /// Object in the slab cache.
    object: u32,
    file: u32,
    /// Index in the file's table.
    at: u32,
    /// Older and younger neighbour in the list of nodes with only shadows.
    older: u32,
    younger: u32,
    /// A bit for each slot with a dirty page.
    dirty: u64,
    pages: u8,
    shadows: u8,
}

/// All files and their cached pages.
#[derive(Debug, PartialEq, Eq, State, CloneFrom)]
pub struct Files {
    /// Files by id.
    pub all: Vec<File>,
    /// Slots of all nodes, at `node * 64 + i`.
    slots: Touched<u32>,
    /// Buffer heads of the pages in the slots, [`NONE`] for none; the vector never shrinks.
    buffers: Vec<u32>,
    nodes: Vec<Node>,
    spare: Vec<u32>,
    /// Slab objects of freed nodes, to be returned to the slab cache.
    freed: Vec<u32>,
    /// Ends of the list of nodes with only shadows: the oldest, then the youngest node.
    shadow_ends: [u32; 2],
    shadow_nodes: u32,
    shadow_limit: u32,
    /// Files with dirty pages; the one that has been dirty longest comes first.
    dirty: Vec<u32>,
    /// The first free page behind all files, by device.
    next_start: Vec<u64>,
    /// Shadow nodes dropped so far (`workingset_nodereclaim`).
    pub nodereclaim: u64,
}

impl Default for Files {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Files {
    /// An empty set of files for a machine with `present_pages` pages.
    pub fn new(present_pages: u64) -> Self {
        let limit = u32::try_from(present_pages >> 3).unwrap_or(u32::MAX);
        Self {
            all: Vec::new(),
            slots: Touched::default(),
            buffers: Vec::new(),
            nodes: Vec::new(),
            spare: Vec::new(),
            freed: Vec::new(),
            shadow_ends: [NONE; 2],
            shadow_nodes: 0,
            shadow_limit: limit.min(MOST_SHADOW_NODES),
            dirty: Vec::new(),
            next_start: Vec::new(),
            nodereclaim: 0,
        }
    }

    /// Adds a file of the workload, which exists at the start of the run or is still `absent`.
    pub fn lay_down(&mut self, device: u8, pages: u32, absent: bool) {
        let file = self.create(device, pages) as usize;
        self.all[file].linked = !absent;
        self.all[file].written = if absent { 0 } else { pages };
    }

    /// Creates an unwritten file after the last one on its device. Returns its id.
    pub fn create(&mut self, device: u8, pages: u32) -> u32 {
        self.reserve(device, 0);
        let start = self.next_start[usize::from(device)];
        self.reserve(device, pages.into());
        self.all.push(File {
            pages,
            written: 0,
            device,
            linked: true,
            start,
            nr_pages: 0,
            nr_dirty: 0,
            nr_nodes: 0,
            dirtied_when: 0,
            users: 0,
            inode: NONE,
            dentry: NONE,
            mappings: Vec::new(),
            table: Vec::new(),
        });
        self.all.len() as u32 - 1
    }

    /// Reserves the next pages of a device for something else, such as swap.
    pub fn reserve(&mut self, device: u8, pages: u64) {
        let at = usize::from(device);
        if self.next_start.len() <= at {
            self.next_start.resize(at + 1, 0);
        }
        self.next_start[at] += pages;
    }

    /// The file with this id.
    #[inline]
    pub fn file(&self, file: u32) -> &File {
        &self.all[file as usize]
    }

    /// (space, region) of every mapping of a file.
    pub fn mappings(&self, file: u32) -> &[(u32, u32)] {
        self.all
            .get(file as usize)
            .map_or(&[], |f| f.mappings.as_slice())
    }

    /// Adds a mapping of a file.
    pub fn add_mapping(&mut self, file: u32, space: u32, region: u32) {
        self.all[file as usize].mappings.push((space, region));
    }

    /// Removes a mapping of a file.
    pub fn remove_mapping(&mut self, file: u32, space: u32, region: u32) {
        let maps = &mut self.all[file as usize].mappings;
        maps.retain(|&at| at != (space, region));
    }

    /// The device of a file; 0 for a page whose file no longer exists.
    pub fn device(&self, file: u32) -> u8 {
        self.all.get(file as usize).map_or(0, |f| f.device)
    }

    /// The position of a page of a file on its device, in pages.
    pub fn device_block(&self, file: u32, index: u32) -> u64 {
        self.all[file as usize].start + u64::from(index)
    }

    /// Dirty pages of a file.
    pub fn nr_dirty(&self, file: u32) -> u32 {
        self.all[file as usize].nr_dirty
    }

    /// When a file became dirty, ns.
    pub fn dirtied_when(&self, file: u32) -> u64 {
        self.all[file as usize].dirtied_when
    }

    /// Files with dirty pages on a device; the one that has been dirty longest comes first
    /// (`b_dirty`).
    pub fn dirty_files(&self, device: u8) -> impl Iterator<Item = u32> + '_ {
        let all = self.dirty.iter().copied();
        all.filter(move |&f| self.device(f) == device)
    }

    #[inline]
    fn node_of(&self, file: u32, index: u32) -> u32 {
        let table = &self.all[file as usize].table;
        table.get((index / SLOTS) as usize).copied().unwrap_or(NONE)
    }

    #[inline]
    fn slot_at(node: u32, index: u32) -> usize {
        (node * SLOTS + index % SLOTS) as usize
    }

    /// Reads the slot of a page and its node, to bring both into the CPU cache.
    #[inline]
    pub(crate) fn peek(&self, file: u32, index: u32) -> u32 {
        let table = self.all.get(file as usize).map_or(&[][..], |f| &f.table);
        match table.get((index / SLOTS) as usize) {
            None | Some(&NONE) => 0,
            Some(&node) => self.slots[Self::slot_at(node, index)] ^ self.nodes[node as usize].at,
        }
    }

    /// The slot of the page cache for a page of a file (`find_get_entry`, `xa_load`).
    #[inline]
    pub fn find(&self, file: u32, index: u32) -> Slot {
        let node = self.node_of(file, index);
        if node == NONE {
            return Slot::Empty;
        }
        match self.slots[Self::slot_at(node, index)] {
            NONE => Slot::Empty,
            slot if slot & SHADOW != 0 => Slot::Shadow(Shadow(slot & !SHADOW)),
            frame => Slot::Page(FrameIndex::new(frame)),
        }
    }

    /// The page cached for a page of a file.
    #[inline]
    pub fn page(&self, file: u32, index: u32) -> Option<FrameIndex> {
        match self.find(file, index) {
            Slot::Page(frame) => Some(frame),
            _ => None,
        }
    }

    /// The first cached page at or after an index: (index, frame).
    pub fn next_page(&self, file: u32, from: u32) -> Option<(u32, FrameIndex)> {
        if self.all[file as usize].nr_pages == 0 {
            return None;
        }
        self.walk(file, from, |n| n.pages > 0, |slot, _| slot & SHADOW == 0)
    }

    /// The first dirty page at or after an index: (index, frame).
    pub fn next_dirty(&self, file: u32, from: u32) -> Option<(u32, FrameIndex)> {
        if self.all[file as usize].nr_dirty == 0 {
            return None;
        }
        self.walk(file, from, |n| n.dirty != 0, |_, dirty| dirty)
    }

    fn walk(
        &self,
        file: u32,
        from: u32,
        node_has: impl Fn(&Node) -> bool,
        slot_is: impl Fn(u32, bool) -> bool,
    ) -> Option<(u32, FrameIndex)> {
        let table = &self.all[file as usize].table;
        let mut i = from % SLOTS;
        // Not `skip`: a zipped iterator would step over the skipped items one by one.
        let first = from / SLOTS;
        let leaves = table.get(first as usize..).unwrap_or(&[]);
        for (at, &node) in (first..).zip(leaves) {
            if node != NONE && node_has(&self.nodes[node as usize]) {
                let dirty = self.nodes[node as usize].dirty;
                for i in i..SLOTS {
                    let slot = self.slots[(node * SLOTS + i) as usize];
                    if slot != NONE && slot_is(slot, dirty >> i & 1 == 1) {
                        return Some((at * SLOTS + i, FrameIndex::new(slot)));
                    }
                }
            }
            i = 0;
        }
        None
    }

    /// Number of consecutive cached pages just before an index, at most `max`
    /// (`count_history_pages`).
    pub fn history(&self, file: u32, index: u32, max: u32) -> u32 {
        let before = (0..index).rev().take(max as usize);
        before.take_while(|&i| self.page(file, i).is_some()).count() as u32
    }

    /// First index from `from` on without a cached page; checks at most `max` pages
    /// (`page_cache_next_miss`).
    pub fn next_miss(&self, file: u32, from: u32, max: u32) -> u32 {
        let cached = (from..from.saturating_add(max)).take_while(|&i| self.page(file, i).is_some());
        from + cached.count() as u32
    }

    /// Marks a cached page dirty in the tree (`xa_set_mark`); it must be clean.
    pub fn tag_dirty(&mut self, file: u32, index: u32, now: u64) {
        let node = self.node_of(file, index);
        self.nodes[node as usize].dirty |= 1 << (index % SLOTS);
        let f = &mut self.all[file as usize];
        f.written = f.written.max(index + 1);
        f.nr_dirty += 1;
        if f.nr_dirty == 1 {
            f.dirtied_when = now;
            self.dirty.push(file);
        }
    }

    /// Marks a cached page clean in the tree; it must be dirty.
    pub fn clear_dirty(&mut self, file: u32, index: u32) {
        let node = self.node_of(file, index);
        self.nodes[node as usize].dirty &= !(1 << (index % SLOTS));
        let f = &mut self.all[file as usize];
        f.nr_dirty -= 1;
        if f.nr_dirty == 0 {
            self.dirty.retain(|&d| d != file);
        }
    }

    /// Does the tree need another node before it can take this page?
    #[inline]
    pub(super) fn needs_node(&self, file: u32, index: u32) -> bool {
        self.node_of(file, index) == NONE
    }

    /// Puts a page into a file's tree, if necessary in a new node with the given slab object. Returns the
    /// shadow it replaces.
    pub(super) fn insert(
        &mut self,
        file: u32,
        index: u32,
        frame: FrameIndex,
        object: u32,
    ) -> Option<Shadow> {
        let node = match self.node_of(file, index) {
            NONE => self.new_node(file, index / SLOTS, object),
            node => node,
        };
        if self.only_shadows(node) {
            self.unlink_shadow_node(node);
        }
        let slot = &mut self.slots[Self::slot_at(node, index)];
        debug_assert!(*slot == NONE || *slot & SHADOW != 0);
        let was = std::mem::replace(slot, frame.get());
        let n = &mut self.nodes[node as usize];
        n.pages += 1;
        self.all[file as usize].nr_pages += 1;
        if was == NONE {
            return None;
        }
        n.shadows -= 1;
        Some(Shadow(was & !SHADOW))
    }

    /// Replaces a cached page by another one, which inherits the tag and the buffer heads
    /// (`migrate_page_move_mapping`).
    pub fn replace(&mut self, file: u32, index: u32, frame: FrameIndex) {
        let node = self.node_of(file, index);
        debug_assert!(self.page(file, index).is_some());
        self.slots[Self::slot_at(node, index)] = frame.get();
    }

    /// Removes a page from a file's tree and leaves a shadow, or nothing. Returns its buffer heads.
    pub(super) fn remove(&mut self, file: u32, index: u32, shadow: Option<Shadow>) -> Option<u32> {
        let node = self.node_of(file, index);
        let buffers = self.buffers.get_mut(Self::slot_at(node, index));
        let buffers = buffers.map_or(NONE, |b| std::mem::replace(b, NONE));
        let n = &mut self.nodes[node as usize];
        n.pages -= 1;
        n.shadows += u8::from(shadow.is_some());
        self.slots[Self::slot_at(node, index)] = shadow.map_or(NONE, |s| s.0 | SHADOW);
        self.all[file as usize].nr_pages -= 1;
        if self.nodes[node as usize].pages + self.nodes[node as usize].shadows == 0 {
            self.free_node(node);
        } else if self.only_shadows(node) {
            self.link_shadow_node(node);
        }
        (buffers != NONE).then_some(buffers)
    }

    /// Does a cached page have buffer heads?
    #[inline]
    pub(super) fn has_buffers(&self, file: u32, index: u32) -> bool {
        let at = Self::slot_at(self.node_of(file, index), index);
        self.buffers.get(at).is_some_and(|&b| b != NONE)
    }

    /// Sets the buffer heads of a cached page that has none (`create_empty_buffers`).
    pub(super) fn set_buffers(&mut self, file: u32, index: u32, object: u32) {
        let at = Self::slot_at(self.node_of(file, index), index);
        if self.buffers.len() <= at {
            self.buffers.resize(self.slots.len(), NONE);
        }
        self.buffers[at] = object;
    }

    /// Takes the slab object of a freed node, to return it to the slab cache.
    pub(super) fn freed_object(&mut self) -> Option<u32> {
        self.freed.pop()
    }

    /// Slab objects of all nodes with only shadows.
    pub fn shadow_objects(&self) -> impl Iterator<Item = u32> + '_ {
        let nodes = self.shadow_list();
        nodes.map(|node| self.nodes[node as usize].object)
    }

    fn only_shadows(&self, node: u32) -> bool {
        let n = &self.nodes[node as usize];
        n.pages == 0 && n.shadows > 0
    }

    fn new_node(&mut self, file: u32, at: u32, object: u32) -> u32 {
        let fresh = Node {
            object,
            file,
            at,
            older: NONE,
            younger: NONE,
            dirty: 0,
            pages: 0,
            shadows: 0,
        };
        let node = self.spare.pop().unwrap_or_else(|| {
            self.nodes.push(fresh);
            self.slots.grow(self.slots.len() + SLOTS as usize, NONE);
            self.nodes.len() as u32 - 1
        });
        self.nodes[node as usize] = fresh;
        let f = &mut self.all[file as usize];
        if f.table.len() <= at as usize {
            f.table.resize(at as usize + 1, NONE);
        }
        f.table[at as usize] = node;
        f.nr_nodes += 1;
        node
    }

    fn free_node(&mut self, node: u32) {
        let Node {
            file, at, object, ..
        } = self.nodes[node as usize];
        self.freed.push(object);
        let f = &mut self.all[file as usize];
        f.table[at as usize] = NONE;
        f.nr_nodes -= 1;
        self.spare.push(node);
    }

    fn shadow_list(&self) -> impl Iterator<Item = u32> + '_ {
        let first = Some(self.shadow_ends[0]).filter(|&n| n != NONE);
        std::iter::successors(first, |&n| {
            Some(self.nodes[n as usize].younger).filter(|&n| n != NONE)
        })
    }

    /// Makes the current state the base for tracking writes; see [`Touched::rebase`].
    pub fn rebase(&mut self) {
        self.slots.rebase();
    }

    /// Size of one copy in bytes.
    pub fn bytes(&self) -> usize {
        let files: usize = self.all.iter().map(|f| f.table.len() * 4 + 96).sum();
        self.slots.len() * 4 + self.nodes.len() * size_of::<Node>() + files
    }
}

#[cfg(test)]
impl Files {
    /// Adds an entry to lists that are usually empty, so that tests can change them.
    pub(crate) fn fill(&mut self) {
        self.dirty.push(0);
        self.spare.push(0);
        self.freed.push(0);
    }
}
