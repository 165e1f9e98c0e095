#include <fmt/format.h>

#include <filesystem>

#include "pathmaps/expansion/steps.h"
#include "pathmaps/reading/names.h"
#include "scopes/wrappers/scope_wrappers.h"
#include "scopes/wrappers/wrapper_library.h"
#include "tuplespace/system/error.h"

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
  faults.add(
      name.place,
      fmt::format("there is a scope wrapper '{}' already; the library's needs another name", name.text));
  return false;
}

std::optional<ScopeWrapperInfo> load(const Word& name, const Word& library, std::chrono::nanoseconds limit,
                                     Faults& faults) {
  const fs::path path = path_of(library, faults);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    faults.add(library.place, fmt::format("no such file: '{}'", path.string()));
    return std::nullopt;
  }
  try {
    return load_scope_wrapper(path, name.text, limit);
  } catch (const ConfigurationError& error) {
    faults.add(library.place, fmt::format("wrapper '{}': {}", name.text, error.what()));
    return std::nullopt;
  }
}

}  // namespace

void read_wrapper_libraries(const Mapping& pathmap, Draft& draft) {
  for (const Entry& entry : pathmap.entries("wrappers")) {
    const Word name{entry.key, entry.place};
    const Mapping mapping(entry.value, reading::wrapper_library_shape, draft.faults);
    const auto limit = mapping.duration("limit", {1ms, 60s}).value_or(default_limit);
    const auto library = mapping.word("library");
    const bool is_new = is_free(name, draft.faults);
    auto info = is_new && library ? load(name, *library, limit, draft.faults) : std::nullopt;
    if (info) {
      draft.plan.wrappers.push_back(std::move(*info));
    } else {
      draft.unusable_wrappers.insert(entry.key);
    }
  }
}

}  // namespace eventspace::expansion
