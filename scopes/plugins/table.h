#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>

/// The common part of the interfaces of all shared objects that EventSpace loads: scope wrappers
/// (scopes/wrappers/plugin.h) and filters of streams (scopes/streams/plugins/plugin.h). A shared object has
/// an entry point, which returns a table of functions. The table begins with the version of its interface and
/// a description of the C++ library and of the layout of the types that both sides exchange; the loader
/// compares both before it uses anything else. Exceptions do not cross the interface.
namespace eventspace::plugin {

/// The buffer in which a function of a table returns the text of an exception, cut to `room` bytes.
struct ErrorText {
  char* text;
  std::size_t room;
};

/// The first members of every table, in all versions.
struct TableHead {
  std::uint32_t abi;
  const char* built_with;
};

#if defined(_GLIBCXX_USE_CXX11_ABI)
inline constexpr const char* cxx_library = "libstdc++";
inline constexpr int cxx_library_abi = _GLIBCXX_USE_CXX11_ABI;
#else
inline constexpr const char* cxx_library = "another C++ library";
inline constexpr int cxx_library_abi = 0;
#endif

/// Returns the result of `work`; if it throws, returns `otherwise`, and the exception's text in `error`.
template <class Work, class Result>
Result guarded(Work work, Result otherwise, ErrorText error) noexcept {
  try {
    return work();
  } catch (const std::exception& thrown) {
    std::snprintf(error.text, error.room, "%s", thrown.what());
  } catch (...) {
    std::snprintf(error.text, error.room, "an exception that is not a std::exception");
  }
  return otherwise;
}

/// Runs `work`; returns whether it did not throw.
template <class Work>
bool succeeds(Work work, ErrorText error) noexcept {
  return guarded(
      [&] {
        work();
        return true;
      },
      false, error);
}

}  // namespace eventspace::plugin
