#include "paths/views/read_positions.h"

#include <algorithm>
#include <tuple>

namespace eventspace {
namespace {

std::uint64_t key_of(std::uint32_t process, std::uint32_t trace) {
  return (std::uint64_t{process} << 32) | trace;
}

}  // namespace

void ReadPositions::take(const std::vector<ReadPosition>& positions) {
  for (const ReadPosition& position : positions) {
    if (position.pid == ReadPosition::over) {
      std::erase_if(positions_, [&](const auto& known) { return known.second.process == position.process; });
    } else {
      positions_.insert_or_assign(key_of(position.process, position.trace), position);
    }
  }
}

const ReadPosition* ReadPositions::find(std::uint32_t process, std::uint32_t trace) const {
  const auto found = positions_.find(key_of(process, trace));
  return found == positions_.end() ? nullptr : &found->second;
}

std::vector<ReadPosition> ReadPositions::list() const {
  std::vector<ReadPosition> list;
  list.reserve(positions_.size());
  for (const auto& [source, position] : positions_) list.push_back(position);
  std::sort(list.begin(), list.end(), [](const ReadPosition& a, const ReadPosition& b) {
    return std::tie(a.process, a.trace) < std::tie(b.process, b.trace);
  });
  return list;
}

}  // namespace eventspace
