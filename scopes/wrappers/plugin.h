#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>

#include "scopes/wrappers/scope_wrapper.h"

/// A scope wrapper in a shared object, which pathmaps name under `wrappers:`.
///
///     class MyOperator final : public eventspace::ViewOperator { ... };
///     eventspace::ScopeWrapperInfo my_wrapper() { return {...}; }
///     EVENTSPACE_SCOPE_WRAPPER(my_wrapper)          // once in the shared object, outside of all namespaces
///
/// What the operator does is guarded: an exception is caught, and who takes longer than the pathmap's `limit`
/// is done without (scopes/gathering/watched_stage.h). It runs in a thread of its own, one call at a time.
///
/// The shared object and the program that loads it exchange C++ objects, so both must be built from the same
/// headers, by compilers with the same ABI: `plugin::abi` and `plugin::built_with()` are compared first, by
/// means that are plain C. No exception passes between them.
namespace eventspace::plugin {

/// Rises with each change of what passes between a program and a plugin: Table, View, ScopeWrapperInfo,
/// Parameters, PlanNames and what they are made of.
inline constexpr std::uint32_t abi = 5;

/// What else must be the same: "libstdc++ of ABI 1, views of 208 bytes, wrappers of 224".
inline const char* built_with() noexcept {
#if defined(_GLIBCXX_USE_CXX11_ABI)
  constexpr const char* library = "libstdc++";
  constexpr int library_abi = _GLIBCXX_USE_CXX11_ABI;
#else
  constexpr const char* library = "another C++ library";
  constexpr int library_abi = 0;
#endif
  static const auto text = [] {
    std::array<char, 96> made{};
    std::snprintf(made.data(), made.size(), "%s of ABI %d, views of %zu bytes, wrappers of %zu", library,
                  library_abi, sizeof(View), sizeof(ScopeWrapperInfo));
    return made;
  }();
  return text.data();
}

/// Where a function of the table leaves what was thrown.
struct ErrorText {
  char* text;
  std::size_t room;
};

/// What the entry yields. `abi` stays first in all versions.
struct Table {
  std::uint32_t abi;
  const char* built_with;
  /// The wrapper; null after an exception. Its `make` is not for callers outside the shared object.
  const ScopeWrapperInfo* (*info)(ErrorText error) noexcept;
  /// An operator; null after an exception.
  ViewOperator* (*make)(const Parameters& given, const PlanNames& names, ErrorText error) noexcept;
  /// False after an exception; the view is then in any state.
  bool (*apply)(ViewOperator& view_operator, View& view, ErrorText error) noexcept;
  void (*destroy)(ViewOperator* view_operator) noexcept;
};

/// The name of the entry, of the type Entry.
inline constexpr const char* entry_name = "eventspace_scope_wrapper";
using Entry = const Table* (*)();

/// Calls `work` and yields what it does, or `otherwise` with the exception's text in `error`.
template <class Work, class Result>
Result guarded(Work work, Result otherwise, ErrorText error) noexcept {
  try {
    return work();
  } catch (const std::exception& thrown) {
    std::snprintf(error.text, error.room, "%s", thrown.what());
  } catch (...) {
    std::snprintf(error.text, error.room, "something that is no std::exception");
  }
  return otherwise;
}

/// The functions of the table for one wrapper.
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
    return guarded(
        [&] {
          view_operator.apply(view);
          return true;
        },
        false, error);
  }
  static void destroy(ViewOperator* view_operator) noexcept { delete view_operator; }
  static const Table* table() noexcept {
    static const Table made{abi, built_with(), &info, &make, &apply, &destroy};
    return &made;
  }
};

}  // namespace eventspace::plugin

/// Makes the wrapper that `info_function` describes the one of this shared object.
#define EVENTSPACE_SCOPE_WRAPPER(info_function)                                        \
  extern "C" __attribute__((visibility("default"))) const ::eventspace::plugin::Table* \
  eventspace_scope_wrapper() {                                                         \
    return ::eventspace::plugin::Functions<(info_function)>::table();                  \
  }
