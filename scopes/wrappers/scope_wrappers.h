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

/// Null for an unknown name. `more`: the wrappers of one pathmap, which are looked at first.
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name) noexcept;
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name,
                                           const std::vector<ScopeWrapperInfo>& more) noexcept;

/// ScopeWrapperInfo::in_parts of a wrapper that acts on parts as it does on the whole.
Parameters as_given(Parameters given);

}  // namespace eventspace
