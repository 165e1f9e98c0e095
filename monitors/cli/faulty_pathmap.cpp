#include "monitors/cli/faulty_pathmap.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitors/cli/pathmap_input.h"
#include "monitors/text/counted.h"

namespace eventspace {
namespace {

// Whether a key is missing that a part of a pathmap may leave to the pathmaps that include it.
bool is_incomplete(const std::vector<Fault>& faults) {
  return std::ranges::any_of(
      faults, [](const Fault& fault) { return fault.text.starts_with("pathmap lacks the required key '"); });
}

}  // namespace

FaultyPathmap::FaultyPathmap(const std::filesystem::path& file, std::vector<Fault> faults)
    : ConfigurationError(fmt::format("{} in pathmap {}", counted(faults.size(), "fault"),
                                     is_standard_input(file) ? "<stdin>" : file.string())),
      faults_(std::move(faults)),
      note_(is_incomplete(faults_) ? note_on_part(file) : note_on_stranger(file)) {}

std::shared_ptr<const Plan> read_pathmap(const std::filesystem::path& file) {
  LoadResult result = load_pathmap(file);
  if (!result.plan) throw FaultyPathmap(file, std::move(result.faults));
  return std::make_shared<const Plan>(std::move(*result.plan));
}

std::shared_ptr<const Plan> read_pathmap_file(const std::filesystem::path& file, const std::string& need) {
  require_file(file, need);
  return read_pathmap(file);
}

}  // namespace eventspace
