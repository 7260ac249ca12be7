//! View of a node's memory: its traffic and its backlog.

use mm::bandwidth::Queue;
use mm::index::NodeIndex;
use mm::view::{MemoryLinkView, MemoryNodeView};
use mm::world::World;

/// The memory of a node; none if the memory has no rates.
pub fn of_node(w: &World, node: NodeIndex) -> Option<MemoryNodeView> {
    w.facts.accesses?;
    let nodes = NodeIndex::all(w.facts.layout.nodes.len());
    let busy = |queue| w.bandwidth.busy_ns(queue);
    let behind = |queue| w.bandwidth.behind_ns(queue, w.now);
    let link = |from| {
        let (direction, link) = (Queue::Direction { from, node }, Queue::Link(from, node));
        MemoryLinkView {
            node: w.node_id(from).into(),
            direction_busy_ns: busy(direction),
            direction_queue_ns: behind(direction),
            link_busy_ns: busy(link),
            link_queue_ns: behind(link),
        }
    };
    let own = Queue::Node(node);
    Some(MemoryNodeView {
        bytes: nodes
            .clone()
            .map(|from| w.bandwidth.moved(from, node))
            .collect(),
        busy_ns: busy(own),
        queue_ns: behind(own),
        links: nodes.filter(|&from| from != node).map(link).collect(),
    })
}
