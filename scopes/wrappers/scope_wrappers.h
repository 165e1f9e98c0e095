#pragma once

#include <string_view>
#include <vector>

#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The scope wrappers known by name: gather, merge, reduce, aggregate, filter, sort, convert, collective, and
/// what was added. "read" is not among them: it is what every branch of a tree ends in.
const std::vector<ScopeWrapperInfo>& scope_wrappers();
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name) noexcept;
/// The same; `more` are those that one pathmap brings.
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name,
                                           const std::vector<ScopeWrapperInfo>& more) noexcept;

/// For a wrapper that acts on parts as it does on the whole.
Parameters as_given(Parameters given);

/// Adds one, at start-up, before a pathmap is read; not thread-safe. Throws ConfigurationError when the
/// name is taken.
void add_scope_wrapper(ScopeWrapperInfo info);

}  // namespace eventspace
