#pragma once

#include "monitors/probing/listing/listing_order.h"
#include "monitors/probing/nodes/node_choice.h"

namespace eventspace {

/// Lists functions, as the order says, in the processes of several machines, or of this one. With classes
/// (`order.step` is ListingStep::classify) all machines first return their mapped modules, which the tree
/// merges; then each module is read once, by one of its processes. Without (read_apart) each process reads
/// its own modules. Either way each module is in the answer once, with the number of its processes. Requires
/// check_listing(). Throws as NodeNetwork does. Reports machines that cannot be reached, or do not answer, on
/// standard error.
ListingAnswer list_on_nodes(ListingOrder order, const NodeChoice& nodes);

}  // namespace eventspace
