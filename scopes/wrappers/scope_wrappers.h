#pragma once

#include <string_view>
#include <vector>

#include "paths/parameters/registry.h"
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The scope wrappers known by name to this process: gather, merge, reduce, aggregate, filter, sort, convert,
/// collective, and those that were added. "read" is not among them: every branch of a tree ends in one.
/// Thread-safety: see Registry.
class ScopeWrapperRegistry final : public Registry<ScopeWrapperInfo> {
 public:
  static ScopeWrapperRegistry& instance();

 private:
  ScopeWrapperRegistry();
};

/// Returns null if there is no such wrapper.
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name) noexcept;
/// The same; searches `more`, the wrappers that a pathmap declares, first.
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name,
                                           const std::vector<ScopeWrapperInfo>& more) noexcept;

/// ScopeWrapperInfo::in_parts of a wrapper whose parameters for the groups are those of the whole.
Parameters as_given(Parameters given);

}  // namespace eventspace
