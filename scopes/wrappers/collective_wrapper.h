#pragma once

// Private to scopes/.

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "collective": makes results of the records that collective operations leave in one process
/// (CollectivePart, CollectiveSum), where all that happened there in an operation is in one view. What is not
/// whole, and what leads from process to process, stays as it is, so nothing is lost, whatever view an
/// operation's records come with and however often. It keeps nothing from view to view. Wherever it stands,
/// the monitor of collective operations says the same of who came last.
ScopeWrapperInfo collective_wrapper();

}  // namespace eventspace
