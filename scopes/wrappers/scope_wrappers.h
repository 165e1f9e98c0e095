#pragma once

#include <string_view>
#include <vector>

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The registry of scope wrappers: the built-in ones (gather, merge, reduce, aggregate, filter, sort,
/// convert, collective) and those that the program added. "read", in which every branch of a tree ends, is
/// not one. Reading the registry is thread-safe as long as no thread adds to it.
const std::vector<ScopeWrapperInfo>& scope_wrappers();
/// Returns null if there is no such wrapper. The result is valid until the next add_scope_wrapper.
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name) noexcept;
/// Searches `more`, the wrappers that a pathmap declares, and then the registry.
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name,
                                           const std::vector<ScopeWrapperInfo>& more) noexcept;

/// ScopeWrapperInfo::in_parts of a wrapper whose parameters for the groups are those of the whole.
Parameters as_given(Parameters given);

/// Registers a wrapper. Call it at start-up, before a pathmap is read; not thread-safe. Throws
/// ConfigurationError if the name is taken.
void add_scope_wrapper(ScopeWrapperInfo info);

}  // namespace eventspace
