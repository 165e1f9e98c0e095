#pragma once

#include <string_view>
#include <vector>

#include <eventspace/extend.h>
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// The scope wrappers that this process has by name: the built-in ones (gather, merge, reduce, aggregate,
/// filter, sort, convert, collective) and the ones that the program added. "read", in which every branch of a
/// tree ends, is not included. For thread-safety see Registry.
///
///     ScopeWrapperRegistry::instance().add(my_wrapper());  // at start-up, before a pathmap is read
class ScopeWrapperRegistry final : public Registry<ScopeWrapperInfo> {
 public:
  static ScopeWrapperRegistry& instance();

 private:
  ScopeWrapperRegistry();
};

/// Finds a wrapper by name; returns null if it does not exist. The second form searches `more`, the wrappers
/// that a pathmap declares, before the registry.
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name) noexcept;
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name,
                                           const std::vector<ScopeWrapperInfo>& more) noexcept;

/// ScopeWrapperInfo::in_parts for a wrapper whose groups have the same parameters as the whole.
Parameters as_given(Parameters given);

}  // namespace eventspace
