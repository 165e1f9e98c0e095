#include "scopes/reading/process_numbers.h"

namespace eventspace {
namespace {

// The finalizer of splitmix64 over both parts: processes that are started one after the other get numbers far
// apart, so few of them have to search for a free one.
std::uint64_t hash_of(const ProcessNumbers::Run& run) noexcept {
  std::uint64_t hash =
      static_cast<std::uint64_t>(run.created_ns) + 0x9e3779b97f4a7c15 * static_cast<std::uint32_t>(run.pid);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

}  // namespace

void ProcessNumbers::prefer(std::uint32_t number, const Run& run) {
  if (range_.has(number) && preferred_.size() < most_preferred) preferred_.insert_or_assign(run, number);
}

std::optional<std::uint32_t> ProcessNumbers::number_of(const Run& run) {
  if (const auto known = numbers_.find(run); known != numbers_.end()) return known->second;
  const auto number = find_free(run);
  preferred_.erase(run);
  if (!number) return std::nullopt;
  numbers_.emplace(run, *number);
  runs_.emplace(*number, run);
  return number;
}

std::optional<std::uint32_t> ProcessNumbers::find_free(const Run& run) const {
  if (numbers_.size() >= range_.count) return std::nullopt;
  if (const auto preferred = preferred_.find(run); preferred != preferred_.end()) {
    if (!runs_.contains(preferred->second)) return preferred->second;
  }
  auto place = static_cast<std::uint32_t>(hash_of(run) % range_.count);
  while (runs_.contains(range_.first + place)) place = (place + 1) % range_.count;
  return range_.first + place;
}

void ProcessNumbers::release(const Run& run) {
  const auto known = numbers_.find(run);
  if (known == numbers_.end()) return;
  runs_.erase(known->second);
  numbers_.erase(known);
}

}  // namespace eventspace
