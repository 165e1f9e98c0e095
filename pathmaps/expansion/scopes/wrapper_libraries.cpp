#include <fmt/format.h>

#include <filesystem>

#include <eventspace/error.h>
#include "pathmaps/expansion/steps.h"
#include "pathmaps/reading/names.h"
#include "scopes/wrappers/scope_wrappers.h"
#include "scopes/wrappers/wrapper_library.h"
#include "tuplespace/system/trusted_file.h"

namespace eventspace::expansion {

using reading::Entry;
using reading::Mapping;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr auto default_limit = 100ms;

// Returns an absolute path; a relative one refers to the folder of the pathmap's file. The dynamic loader
// searches its own folders for a bare name, which must not happen here: it could load another file.
fs::path path_of(const Word& library, const Faults& faults) {
  const fs::path folder = fs::path(faults.file(library.place.file)).parent_path();
  return fs::absolute(folder / library.text);
}

bool is_free(const Word& name, Faults& faults) {
  if (!check_name(name, reading::NameKind::simple, faults)) return false;
  if (name.text != "read" && find_scope_wrapper(name.text) == nullptr) return true;
  faults.add(name.place,
             fmt::format("scope wrapper '{}' already exists; give the wrapper of the library another name",
                         name.text));
  return false;
}

/// Returns the result of `make`; nothing, with a fault, if it throws.
template <class Make>
auto or_fault(const Word& name, const Word& library, Faults& faults, Make make)
    -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const ConfigurationError& error) {
    faults.add(library.place, fmt::format("wrapper '{}': {}", name.text, error.what()));
    return std::nullopt;
  }
}

std::optional<NamedLibrary> find(const Word& name, const Word& library, Faults& faults) {
  const fs::path path = path_of(library, faults);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    faults.add(library.place, fmt::format("no such file: '{}'", path.string()));
    return std::nullopt;
  }
  return or_fault(name, library, faults, [&] { return NamedLibrary{name.text, require_trusted_file(path)}; });
}

}  // namespace

void read_wrapper_libraries(const Mapping& pathmap, const LoadOptions& options, Draft& draft) {
  for (const Entry& entry : pathmap.entries("wrappers")) {
    const Word name{entry.key, entry.place};
    const Mapping mapping(entry.value, reading::wrapper_library_shape, draft.faults);
    const auto limit = mapping.duration("limit", {1ms, 60s}).value_or(default_limit);
    const auto library = mapping.word("library");
    const bool is_new = is_free(name, draft.faults);
    const auto found = is_new && library ? find(name, *library, draft.faults) : std::nullopt;
    if (found) draft.libraries.push_back(*found);
    auto info = found && options.load_libraries
                    ? or_fault(name, *library, draft.faults,
                               [&] { return load_scope_wrapper(found->file, name.text, limit); })
                    : std::nullopt;
    if (info) {
      draft.plan.wrappers.push_back(std::move(*info));
    } else {
      draft.unusable_wrappers.insert(entry.key);
    }
  }
}

}  // namespace eventspace::expansion
