#pragma once

#include "scopes/scope_wrappers.h"

namespace eventspace {

/// `filter: {verbs: [take], paths: "receive/**", longer_than: 1ms}` lets pass the events that meet every
/// condition given: verbs, globs for the names of thread and path, and a least duration (an operation in
/// flight has no duration yet and meets it). What it drops is counted in Loss::filtered.
ScopeWrapperInfo filter_wrapper();

}  // namespace eventspace
