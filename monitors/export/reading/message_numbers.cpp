#include "monitors/export/reading/message_numbers.h"

#include <algorithm>

namespace eventspace::exports {
namespace {

// The last step of splitmix64, which spreads numbers over 64 bits.
std::uint64_t mixed(std::uint64_t sum, std::uint64_t more) noexcept {
  std::uint64_t x = sum + 0x9e3779b97f4a7c15 + more;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t of_route(const MessageNumbers::Route& route) noexcept {
  return mixed(mixed(1, std::uint64_t{route.sender} << 32 | route.receiver),
               std::uint64_t{route.communicator} << 32 | route.tag);
}

// Databases and Java have only signed numbers; to some readers, 0 means none.
std::uint64_t as_number(std::uint64_t hash) noexcept { return (hash >> 1) | 1; }

}  // namespace

std::size_t MessageNumbers::Hash::operator()(const Route& route) const noexcept { return of_route(route); }

MessageEnd MessageNumbers::tuple_end(std::uint32_t element, std::uint64_t tuple, bool receives) noexcept {
  return {.message = as_number(mixed(mixed(2, element), tuple)), .receives = receives};
}

MessageEnd MessageNumbers::end_of(const Route& route, std::uint64_t number, const Count& count,
                                  bool receives) noexcept {
  return {.message = as_number(mixed(of_route(route), number)),
          .receives = receives,
          .certain = count.sender_gaps == 0 && count.receiver_gaps == 0};
}

void MessageNumbers::lose(std::uint32_t rank, std::int64_t time) {
  Gaps& gaps = gaps_[rank];
  ++gaps.count;
  gaps.last_ns = time;
}

MessageNumbers::Gaps MessageNumbers::gaps_of(std::uint32_t rank) const {
  const auto found = gaps_.find(rank);
  return found == gaps_.end() ? Gaps{} : found->second;
}

MessageNumbers::Count* MessageNumbers::count_of(const Route& route) {
  const auto found = counts_.find(route);
  if (found == counts_.end() && counts_.size() >= max_routes) {
    ++unnumbered_;
    return nullptr;
  }
  Count& count = found == counts_.end() ? counts_[route] : found->second;
  take_gaps(route, count);
  return &count;
}

void MessageNumbers::take_gaps(const Route& route, Count& count) {
  if (const Gaps gaps = gaps_of(route.sender); gaps.count != count.sender_gaps) {
    count.sender_gaps = gaps.count;
    // A receiver that was waiting then got the first message that is known again.
    const std::size_t known = std::min<std::uint64_t>(count.received, remembered);
    const auto waited = static_cast<std::uint64_t>(
        std::count_if(count.ends.begin(), count.ends.begin() + static_cast<std::ptrdiff_t>(known),
                      [&](std::int64_t end) { return end > gaps.last_ns; }));
    count.sent = std::max(count.sent, count.received - waited);
  }
  if (const Gaps gaps = gaps_of(route.receiver); gaps.count != count.receiver_gaps) {
    count.receiver_gaps = gaps.count;
    count.received = std::max(count.received, count.sent);
  }
}

std::optional<MessageEnd> MessageNumbers::send(const Route& route) {
  Count* const count = count_of(route);
  if (count == nullptr) return std::nullopt;
  return end_of(route, count->sent++, *count, false);
}

std::optional<MessageEnd> MessageNumbers::receive(const Route& route, std::int64_t end_ns) {
  Count* const count = count_of(route);
  if (count == nullptr) return std::nullopt;
  count->ends[count->next_end++ % remembered] = end_ns;
  return end_of(route, count->received++, *count, true);
}

}  // namespace eventspace::exports
