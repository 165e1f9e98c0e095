#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

#include <eventspace/extend.h>
#include "scopes/wrappers/scope_wrapper.h"

/// The interface of scope wrappers in shared objects, which pathmaps declare under `wrappers:`.
///
///     class MyOperator final : public eventspace::ViewOperator { ... };
///     eventspace::ScopeWrapperInfo my_wrapper() { return {...}; }
///     EVENTSPACE_SCOPE_WRAPPER(my_wrapper)          // once in the shared object, outside of all namespaces
///
/// An operator runs in its own thread, one call at a time. Its exceptions are caught, and pulls continue
/// without it while it exceeds the pathmap's `limit` (scopes/gathering/watched_stage.h).
///
/// The shared object and the program that loads it exchange C++ objects, so both must be built from the same
/// headers, by compilers with the same ABI. The loader first compares `plugin::abi` and
/// `plugin::built_with()`, which do not depend on the C++ ABI. Exceptions do not cross the interface, and
/// each side destroys the objects that it made.
namespace eventspace::plugin {

/// The version of the interface. It rises with each change of the types that a program and a plugin exchange:
/// Table, View, ScopeWrapperInfo, Parameters, PlanNames and their members.
inline constexpr std::uint32_t abi = 7;

/// Describes the library and layout, which must be the same on both sides, such as "libstdc++ of ABI 1, views
/// of 208 bytes, wrappers of 224".
inline const char* built_with() noexcept {
  static const auto text = [] {
    std::array<char, 96> made{};
    std::snprintf(made.data(), made.size(), "%s of ABI %d, views of %zu bytes, wrappers of %zu", cxx_library,
                  cxx_library_abi, sizeof(View), sizeof(ScopeWrapperInfo));
    return made;
  }();
  return text.data();
}

/// The functions of a shared object, returned by its entry point.
struct Table : TableHead {
  /// Returns the wrapper, or null after an exception. Its `make` may throw: a program calls Table::make
  /// instead.
  const ScopeWrapperInfo* (*info)(ErrorText error) noexcept;
  /// Returns an operator, to be destroyed with `destroy`; null after an exception.
  ViewOperator* (*make)(const Parameters& given, const PlanNames& names, ErrorText error) noexcept;
  /// Returns false after an exception; the view's content is then unspecified.
  bool (*apply)(ViewOperator& view_operator, View& view, ErrorText error) noexcept;
  void (*destroy)(ViewOperator* view_operator) noexcept;
};

/// The name of the entry point, a function that returns the table.
inline constexpr const char* entry_name = "eventspace_scope_wrapper";

/// Implements the table for one wrapper.
template <ScopeWrapperInfo (*info_function)()>
struct Functions {
  static const ScopeWrapperInfo& the_info() {
    static const ScopeWrapperInfo info = info_function();
    return info;
  }
  static const ScopeWrapperInfo* info(ErrorText error) noexcept {
    return guarded([] { return &the_info(); }, static_cast<const ScopeWrapperInfo*>(nullptr), error);
  }
  static ViewOperator* make(const Parameters& given, const PlanNames& names, ErrorText error) noexcept {
    return guarded([&] { return the_info().make(given, names).release(); },
                   static_cast<ViewOperator*>(nullptr), error);
  }
  static bool apply(ViewOperator& view_operator, View& view, ErrorText error) noexcept {
    return succeeds([&] { view_operator.apply(view); }, error);
  }
  static void destroy(ViewOperator* view_operator) noexcept { delete view_operator; }
  static const Table* table() noexcept {
    static const Table made{{abi, built_with()}, &info, &make, &apply, &destroy};
    return &made;
  }
};

}  // namespace eventspace::plugin

/// Defines the entry point of this shared object. `info_function` returns the description of its wrapper.
#define EVENTSPACE_SCOPE_WRAPPER(info_function)                                            \
  extern "C" __attribute__((visibility("default"))) const ::eventspace::plugin::TableHead* \
  eventspace_scope_wrapper() {                                                             \
    return ::eventspace::plugin::Functions<(info_function)>::table();                      \
  }
