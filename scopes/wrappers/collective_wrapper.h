#pragma once

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The wrapper "collective": computes results (CollectivePart, CollectiveSum) from the records that
/// collective operations leave in one process. It applies to an operation if all its records from that
/// process are in one view. Records of other operations, and of paths between processes, are passed on
/// unchanged, so nothing is lost if the records of an operation are spread over views, or if views are
/// repeated. The wrapper keeps no state between views. The monitor of collective operations finds the same
/// last thread wherever in the tree the wrapper is.
ScopeWrapperInfo collective_wrapper();

}  // namespace eventspace
