#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "scopes/plugins/table.h"

namespace eventspace::plugin {

/// The buffer for the text of an exception in a shared object.
class Thrown {
 public:
  ErrorText text() noexcept { return {text_.data(), text_.size()}; }
  [[nodiscard]] std::string_view what() const { return text_.data(); }

 private:
  std::array<char, 512> text_{};
};

/// A program's requirements for a shared object.
struct Interface {
  const char* entry;        ///< the name of its entry point
  const char* export_with;  ///< the macro that defines the entry point, and its header: for messages
  std::uint32_t abi;
  const char* built_with;
};

/// Loads a shared object and returns the table of its entry point, after checking its version and layout.
/// `library` is the result of require_trusted_file() (tuplespace/system/trusted_file.h): a path where other
/// users cannot put another file. It is loaded by that path and not through a descriptor, so that its RUNPATH
/// may contain $ORIGIN, and debuggers find it. Loading runs code of the shared object, which stays loaded
/// until the process ends, because a thread may be stuck in it. Thread-safe.
///
/// Throws ConfigurationError with the reason if the shared object cannot be loaded, does not have an entry
/// point, or was built for another version or with another ABI.
const TableHead& load_table(const std::filesystem::path& library, const Interface& expected);

}  // namespace eventspace::plugin
