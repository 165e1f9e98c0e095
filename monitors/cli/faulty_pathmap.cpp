#include "monitors/cli/faulty_pathmap.h"

#include <fmt/format.h>

#include "pathmaps/pathmap.h"

namespace eventspace {

FaultyPathmap::FaultyPathmap(const std::filesystem::path& file, std::vector<Fault> faults)
    : ConfigurationError(fmt::format("{} {} in pathmap {}", faults.size(),
                                     faults.size() == 1 ? "fault" : "faults", file.string())),
      faults_(std::move(faults)) {}

std::shared_ptr<const Plan> read_pathmap(const std::filesystem::path& file) {
  LoadResult result = load_plan(file);
  if (!result.plan) throw FaultyPathmap(file, std::move(result.faults));
  return std::make_shared<const Plan>(std::move(*result.plan));
}

}  // namespace eventspace
