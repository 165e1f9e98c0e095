#include "monitors/profile/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "collectors/pvm/pvm_calls.h"

namespace eventspace {

void Traffic::add_message(const Route& route, std::uint64_t bytes) {
  if (Amount* const amount = flows_.entry(route)) {
    ++amount->count;
    amount->bytes += bytes;
  }
}

void Traffic::add_size(Sort sort, std::uint64_t bytes) {
  Amount& amount = sizes_[{sort, static_cast<int>(std::bit_width(bytes))}];
  ++amount.count;
  amount.bytes += bytes;
}

void Traffic::name_task(std::uint32_t task, std::uint32_t thread) {
  if (std::uint32_t* const known = tasks_.entry(task)) *known = thread;
}

std::string Traffic::name_of(Parties parties, std::uint32_t end) const {
  if (parties == Parties::ranks) return fmt::format("rank {}", end);
  if (parties == Parties::threads) return std::string(names_->thread_name(end));
  const auto thread = tasks_.entries().find(end);
  return thread == tasks_.entries().end() ? name_of_pvm_task(end)
                                          : std::string(names_->thread_name(thread->second));
}

std::string_view Traffic::way_of(const Route& route) const {
  switch (route.of) {
    case Parties::ranks:
      return names_->communicator_name(route.over);
    case Parties::threads:
      return names_->path_name(route.over);
    case Parties::tasks_of_pvm:
      break;
  }
  return "PVM";
}

std::vector<Traffic::Flow> Traffic::flows() const {
  std::vector<Flow> all;
  for (const auto& [route, amount] : flows_.entries()) {
    all.push_back({name_of(route.of, route.from), name_of(route.of, route.to), std::string(way_of(route)),
                   amount.count, amount.bytes});
  }
  std::ranges::stable_sort(all, std::greater(), &Flow::bytes);
  return all;
}

std::vector<Traffic::Size> Traffic::sizes() const {
  static constexpr std::array<std::string_view, 3> words{"message", "collective operation", "tuple"};
  std::vector<Size> all;
  for (const auto& [key, amount] : sizes_) {
    const auto& [sort, bits] = key;
    const std::uint64_t least = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    all.push_back({words[static_cast<std::size_t>(sort)], least, bits == 0 ? 0 : least + (least - 1),
                   amount.count, amount.bytes});
  }
  return all;
}

}  // namespace eventspace
