//! The dentry cache (fs/dcache.c).
//!
//! Modelled: an object for every file name in use or cached; the list of unused dentries and its
//! shrinker. A cached dentry keeps its file's inode in use. The dentry of a removed file stays,
//! without an inode, until the shrinker frees it.
//! Left out: directories, and negative dentries from failed look-ups.
//! Visible difference: a kernel has more dentries than files.
//! Invariants: an object in use refers to its file and the file refers to it; a file in use has a
//! dentry and an inode.

use crate::frames::{Context, Flow, Frame, NONE, Up, room};
use crate::gfp::Gfp;
use crate::kernel::SlabShrinkers;
use crate::slab::{DENTRY, IgetLocked, free_object, grow, inode, iput};
use crate::world::World;
use facts::index::{NodeIndex, ZonelistIndex};
use facts::state::State;

/// Adds a user of a file with dentry and inode: a task that opens it, or a region that maps it
/// (`dget`).
pub fn dget(w: &mut World, file: u32) {
    let f = &mut w.files.all[file as usize];
    f.users += 1;
    let dentry = f.dentry;
    let node = w.slab.caches[DENTRY].node_of(dentry);
    if w.slab.dentries.is_unused(dentry) {
        w.slab.dentries.remove(dentry, node);
        w.slab.dentries.reference(dentry);
    }
    inode::hold(w, file);
}

/// Removes a user of a file: a task that closes it, or a region that unmaps it. After the last
/// user, the file's dentry is cached, or freed if the file no longer has a name (`dput`).
pub fn dput(w: &mut World, file: u32) {
    let f = &mut w.files.all[file as usize];
    f.users -= 1;
    if f.users > 0 {
        return;
    }
    if !f.linked {
        let dentry = std::mem::replace(&mut f.dentry, NONE);
        free_dentry(w, dentry);
        return;
    }
    if w.facts.features.last_put_references {
        let dentry = f.dentry;
        w.slab.dentries.reference(dentry);
    }
    cached(w, file);
}

/// Adds a file's unused dentry to the list of unused dentries.
fn cached(w: &mut World, file: u32) {
    let dentry = w.files.file(file).dentry;
    if dentry != NONE {
        let node = w.slab.caches[DENTRY].node_of(dentry);
        w.slab.dentries.add(dentry, node);
    }
}

/// Frees a dentry's object.
fn free_dentry(w: &mut World, dentry: u32) {
    let node = w.slab.caches[DENTRY].node_of(dentry);
    w.slab.dentries.clear(dentry, node);
    free_object(w, DENTRY, dentry);
    w.spend(w.facts.cost.dentry_free);
}

/// Scans `objects` of a node's least recently used dentries; returns the number freed
/// (`prune_dcache_sb`, `prune_dcache` up to 3.0). Up to 3.11 spared dentries do not count as
/// scanned (`__shrink_dcache_sb`).
pub fn scan_dentries(w: &mut World, node: NodeIndex, objects: u32) -> u32 {
    let counts_spared = !matches!(
        w.facts.features.slab_shrinkers,
        SlabShrinkers::Caches | SlabShrinkers::Super
    );
    let (mut freed, mut left) = (0, objects);
    // No dentry is spared twice; otherwise a scan might not end.
    let mut spared = w.slab.dentries.freeable(node);
    while left > 0 {
        let Some(dentry) = w.slab.dentries.oldest(node) else {
            break;
        };
        if spared > 0 && w.slab.dentries.test_clear_referenced(dentry) {
            let home = w.slab.caches[DENTRY].node_of(dentry);
            w.slab.dentries.remove(dentry, home);
            w.slab.dentries.add(dentry, home);
            left -= u32::from(counts_spared);
            spared -= 1;
            continue;
        }
        let file = w.slab.dentries.file(dentry);
        w.files.all[file as usize].dentry = NONE;
        free_dentry(w, dentry);
        iput(w, file);
        freed += 1;
        left -= 1;
    }
    freed
}

room! {
    DAllocAndLookup: "d_alloc_and_lookup" in "fs/namei.c" at "v3.0.1" line 1113;
    Simplified "A dentry is found or created; directories are not read. Later kernels do this in lookup_open.";
    DlPt {
        Look 0 Plain "dentry and inode are cached: use them";
        Alloc 0 Plain "no dentry: d_alloc(), with new_slab() if none is free";
        Got 0 Plain "no memory: return ENOMEM";
        Init 0 Yields "the object is the file's dentry";
        Lookup 0 Plain "no inode: iget_locked()";
        Found 0 Plain "no inode: return ENOMEM or ENOENT";
    }
    locals(self, w) {
        file: number(self.file);
    }
}

/// `d_alloc_and_lookup`, as called by open() and creat(): gets the dentry of a file and its inode, and
/// adds a user. Returns 1, or 0 if memory ran out or the file lost its name.
#[derive(Debug, Clone, PartialEq, Eq, State)]
pub struct DAllocAndLookup {
    /// Current program point.
    pub pt: DlPt,
    /// Zonelist of the requests.
    pub node: ZonelistIndex,
    /// The file.
    pub file: u32,
}

impl DAllocAndLookup {
    /// Frame of a call for a file that is being opened.
    pub fn call(file: u32, node: ZonelistIndex) -> Frame {
        Frame::Lookup(Self {
            pt: DlPt::Look,
            node,
            file,
        })
    }

    /// Executes one point.
    #[inline(always)]
    pub fn point(&mut self, w: &mut World, cx: &mut Context, up: Up<'_>) -> Flow {
        match self.pt {
            DlPt::Look => {
                let f = w.files.file(self.file);
                if !f.linked {
                    return self.fail(w, cx);
                }
                if f.dentry != NONE && f.inode != NONE {
                    dget(w, self.file);
                    cx.ret = 1;
                    return Flow::Ret;
                }
                self.pt = DlPt::Alloc;
                Flow::Next
            }
            DlPt::Alloc => {
                self.pt = DlPt::Lookup;
                if w.files.file(self.file).dentry != NONE {
                    return Flow::Next;
                }
                if w.slab.has_free(DENTRY, self.node) {
                    self.pt = DlPt::Init;
                    return Flow::Next;
                }
                self.pt = DlPt::Got;
                up.call(grow(w, DENTRY, Gfp::GFP_KERNEL, self.node), w, cx)
            }
            DlPt::Got => {
                if cx.ret == 0 {
                    return Flow::Ret;
                }
                self.pt = DlPt::Init;
                Flow::Next
            }
            DlPt::Init => {
                self.pt = DlPt::Look;
                // Meanwhile other tasks may have opened or unlinked the file, or used the last
                // object.
                let f = w.files.file(self.file);
                if f.dentry != NONE || !f.linked {
                    return Flow::Next;
                }
                if let Some(object) = w.slab.take(DENTRY, self.node) {
                    w.slab.dentries.set(object, self.file);
                    w.files.all[self.file as usize].dentry = object;
                    inode::hold(w, self.file);
                }
                Flow::Next
            }
            DlPt::Lookup => {
                self.pt = DlPt::Found;
                up.call(IgetLocked::call(self.file, self.node), w, cx)
            }
            DlPt::Found => {
                if cx.ret == 0 {
                    return self.fail(w, cx);
                }
                self.pt = DlPt::Look;
                Flow::Next
            }
        }
    }

    /// Fails. If no task has the file open, its dentry, if any, can be freed by the shrinker.
    fn fail(&self, w: &mut World, cx: &mut Context) -> Flow {
        if w.files.file(self.file).users == 0 {
            cached(w, self.file);
        }
        cx.ret = 0;
        Flow::Ret
    }
}
