#include "monitors/whatif/actions/group_steps.h"

#include <algorithm>
#include <bit>

namespace eventspace::whatif {
namespace {

using Step = std::optional<GroupStep>;

GroupStep sending(std::uint32_t to, std::uint64_t bytes) { return {.to = to, .bytes_sent = bytes}; }
GroupStep receiving(std::uint32_t from, std::uint64_t bytes) {
  return {.from = from, .bytes_received = bytes};
}
GroupStep exchanging(std::uint32_t to, std::uint32_t from, std::uint64_t bytes) {
  return {to, bytes, from, bytes};
}

/// A binomial tree of ranks relative to the root. The lowest set bit of a rank is the level of the member.
/// The parent of v is v without its lowest set bit; the subtree of v has as many members as the value of that
/// bit.
class Tree {
 public:
  explicit Tree(const GroupCall& call)
      : call_(&call), own_((call.rank + call.members - call.root) % call.members) {}

  // From the root: first the message from the parent, then the largest subtree.
  [[nodiscard]] Step downwards(std::uint32_t number, bool grows) const {
    if (own_ != 0) {
      if (number == 0) return receiving(rank(own_ & (own_ - 1)), bytes(own_, grows));
      --number;
    }
    for (std::uint32_t bit = highest_child(); bit > 0; bit /= 2) {
      if (own_ + std::uint64_t{bit} >= call_->members) continue;
      if (number-- == 0) return sending(rank(own_ + bit), bytes(own_ + bit, grows));
    }
    return std::nullopt;
  }
  // To the root: the smallest subtree first, then to the parent.
  [[nodiscard]] Step upwards(std::uint32_t number, bool grows) const {
    for (std::uint32_t bit = 1; bit <= highest_child(); bit *= 2) {
      if (own_ + std::uint64_t{bit} >= call_->members) break;
      if (number-- == 0) return receiving(rank(own_ + bit), bytes(own_ + bit, grows));
    }
    if (number == 0 && own_ != 0) return sending(rank(own_ & (own_ - 1)), bytes(own_, grows));
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::uint32_t rank(std::uint32_t relative) const {
    return (relative + call_->root) % call_->members;
  }
  // The highest bit in which a child may differ; 0 if there are no children.
  [[nodiscard]] std::uint32_t highest_child() const {
    if (own_ != 0) return (own_ & (~own_ + 1U)) / 2;
    return std::bit_ceil(call_->members) / 2;
  }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t relative, bool grows) const {
    const std::uint32_t below = std::min(relative & (~relative + 1U), call_->members - relative);
    return grows ? call_->bytes * below : call_->bytes;
  }

  const GroupCall* call_;
  std::uint32_t own_;
};

Step dissemination(const GroupCall& call, std::uint32_t number) {
  if (number >= 32 || (std::uint64_t{1} << number) >= call.members) return std::nullopt;
  const std::uint32_t distance = 1U << number;
  return exchanging((call.rank + distance) % call.members,
                    (call.rank + call.members - distance) % call.members, 0);
}

Step recursive_doubling(const GroupCall& call, std::uint32_t number) {
  if (number >= 32 || (std::uint64_t{1} << number) >= call.members) return std::nullopt;
  const std::uint32_t partner = call.rank ^ (1U << number);
  return exchanging(partner, partner, call.bytes);
}

Step all_reduce(const GroupCall& call, std::uint32_t number) {
  if (std::has_single_bit(call.members)) return recursive_doubling(call, number);
  const Tree tree(call);
  std::uint32_t upward = 0;
  while (tree.upwards(upward, false)) {
    if (upward == number) return tree.upwards(number, false);
    ++upward;
  }
  return tree.downwards(number - upward, false);
}

Step ring(const GroupCall& call, std::uint32_t number) {
  if (number + 1 >= call.members) return std::nullopt;
  return exchanging((call.rank + 1) % call.members, (call.rank + call.members - 1) % call.members,
                    call.bytes);
}

Step pairwise(const GroupCall& call, std::uint32_t number, std::uint64_t bytes) {
  if (number + 1 >= call.members) return std::nullopt;
  const std::uint32_t distance = number + 1;
  return exchanging((call.rank + distance) % call.members,
                    (call.rank + call.members - distance) % call.members, bytes);
}

Step scan(const GroupCall& call, std::uint32_t number) {
  if (number >= 32 || (std::uint64_t{1} << number) >= call.members) return std::nullopt;
  const std::uint32_t distance = 1U << number;
  GroupStep step;
  if (call.rank + std::uint64_t{distance} < call.members) {
    step.to = call.rank + distance;
    step.bytes_sent = call.bytes;
  }
  if (call.rank >= distance) {
    step.from = call.rank - distance;
    step.bytes_received = call.bytes;
  }
  return step;
}

}  // namespace

std::optional<GroupStep> group_step(const GroupCall& call, std::uint32_t number) {
  switch (call.operation) {
    case GroupOperation::barrier:
      return dissemination(call, number);
    case GroupOperation::broadcast:
      return Tree(call).downwards(number, false);
    case GroupOperation::reduce:
      return Tree(call).upwards(number, false);
    case GroupOperation::all_reduce:
      return all_reduce(call, number);
    case GroupOperation::gather:
      return Tree(call).upwards(number, true);
    case GroupOperation::scatter:
      return Tree(call).downwards(number, true);
    case GroupOperation::all_gather:
      return ring(call, number);
    case GroupOperation::all_to_all:
      return pairwise(call, number, call.bytes);
    case GroupOperation::reduce_scatter:
      return pairwise(call, number, call.bytes / call.members);
    case GroupOperation::scan:
      return scan(call, number);
  }
  return std::nullopt;
}

}  // namespace eventspace::whatif
