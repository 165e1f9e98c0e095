#include "paths/joints/joint_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include <eventspace/path.h>

namespace eventspace {
namespace {

std::string found_instead(const Tuple& found, std::string_view expected) {
  return fmt::format("found {}; expected {}",
                     found.empty() ? "the empty tuple" : found.signature().to_string(), expected);
}

std::size_t place_of(const std::vector<std::uint32_t>& participants, std::uint32_t number) {
  return static_cast<std::size_t>(std::ranges::lower_bound(participants, number) - participants.begin());
}

}  // namespace

bool JointRule::has_the_root(const JointChild& child) const noexcept {
  return config_.root && std::ranges::binary_search(child.participants, *config_.root);
}

JointRule::JointRule(JointConfig config) : config_(std::move(config)) {
  for (const JointChild& child : config_.children)
    all_.insert(all_.end(), child.participants.begin(), child.participants.end());
  std::ranges::sort(all_);
}

// --- up ---------------------------------------------------------------------------------------------

std::string JointRule::fault_of(std::size_t number, const Tuple& contribution) const {
  const JointChild& child = config_.children[number];
  switch (config_.kind) {
    case CollectiveKind::barrier:
      break;
    case CollectiveKind::broadcast:
      if (!has_the_root(child)) break;
      [[fallthrough]];
    case CollectiveKind::reduce:
    case CollectiveKind::all_reduce:
      return contribution.has_signature(config_.signature)
                 ? ""
                 : found_instead(contribution, config_.signature.to_string());
    case CollectiveKind::gather:
      if (child.is_joint) return fault_of_packed(contribution, child.participants.size());
      return contribution.has_signature(config_.signature)
                 ? ""
                 : found_instead(contribution, config_.signature.to_string());
    case CollectiveKind::scatter:
      if (has_the_root(child)) return fault_of_packed(contribution, config_.participants);
      break;
  }
  return contribution.empty() ? "" : found_instead(contribution, "the empty tuple");
}

std::string JointRule::fault_of_packed(const Tuple& packed, std::size_t expected) const {
  try {
    const std::vector<Tuple> tuples = unpack_tuples(packed);
    if (tuples.size() != expected)
      return fmt::format("found {} packed tuples; expected {}, one for each thread", tuples.size(), expected);
    for (const Tuple& tuple : tuples) {
      if (!tuple.has_signature(config_.signature))
        return found_instead(tuple, config_.signature.to_string()) + " in each of the packed tuples";
    }
    return "";
  } catch (const ConfigurationError& error) {
    return error.what();
  }
}

Tuple JointRule::join(std::span<const Tuple> contributions) const {
  switch (config_.kind) {
    case CollectiveKind::barrier:
      return {};
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      for (std::size_t i = 0; i < contributions.size(); ++i) {
        if (has_the_root(config_.children[i])) return contributions[i];
      }
      return {};
    case CollectiveKind::gather:
      return gather(contributions);
    case CollectiveKind::reduce:
    case CollectiveKind::all_reduce:
      break;
  }
  Tuple joined = contributions.front();
  for (const Tuple& later : contributions.subspan(1)) joined = combine(joined, later, config_.combine);
  return joined;
}

Tuple JointRule::gather(std::span<const Tuple> contributions) const {
  std::vector<Tuple> tuples(all_.size());
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    const JointChild& child = config_.children[i];
    std::vector<Tuple> below =
        child.is_joint ? unpack_tuples(contributions[i]) : std::vector<Tuple>{contributions[i]};
    for (std::size_t k = 0; k < child.participants.size(); ++k)
      tuples[place_of(all_, child.participants[k])] = std::move(below.at(k));
  }
  return pack_tuples(tuples);
}

// --- down -------------------------------------------------------------------------------------------

std::vector<Tuple> JointRule::part(const Tuple& down) const {
  if (config_.kind == CollectiveKind::scatter) return scatter(down);
  const bool to_all = config_.kind == CollectiveKind::broadcast || config_.kind == CollectiveKind::all_reduce;
  std::vector<Tuple> parts(config_.children.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (to_all || has_the_root(config_.children[i])) parts[i] = down;
  }
  return parts;
}

std::vector<Tuple> JointRule::scatter(const Tuple& down) const {
  const std::vector<Tuple> tuples = unpack_tuples(down);
  if (tuples.size() != all_.size())
    throw ConfigurationError(fmt::format("joint {} received {} packed tuples from above; expected {}",
                                         config_.name, tuples.size(), all_.size()));
  std::vector<Tuple> parts;
  parts.reserve(config_.children.size());
  for (const JointChild& child : config_.children) {
    std::vector<Tuple> own;
    for (const std::uint32_t number : child.participants) own.push_back(tuples[place_of(all_, number)]);
    parts.push_back(child.is_joint ? pack_tuples(own) : own.front());
  }
  return parts;
}

}  // namespace eventspace
