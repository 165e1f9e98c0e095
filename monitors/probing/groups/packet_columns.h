#pragma once

// Private to monitors/.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/probing/groups/grouped_refusals.h"
#include "monitors/probing/groups/process_choice.h"

// Common parts of the packets of orders to groups of processes and of their answers: lists as columns.

namespace eventspace {

/// The version of all these packets. It changes with any of their formats; another version of `eventspace` on
/// another machine then gets an error.
inline constexpr std::uint32_t group_packets_version = 8;

using PacketTexts = std::vector<std::string_view>;
using PacketNumbers = std::span<const std::uint64_t>;

PacketTexts views_of(const std::vector<std::string>& texts);
std::vector<std::string> strings_of(const PacketTexts& texts);

/// Throws PacketError if the version is another one.
void require_group_version(std::uint32_t version);
/// Throws PacketError: the packet is of a program of another version.
[[noreturn]] void refuse_other_version();
/// Throws PacketError unless the lists of a packet fit together.
void require_fit(bool fits);

/// Groups as texts, and back. Throws PacketError or ConfigurationError.
std::vector<std::string> texts_of(const ProcessGroups& groups);
ProcessGroups groups_in(const PacketTexts& texts);

/// Refusals as columns, which are views of the refusals.
struct RefusalColumns {
  explicit RefusalColumns(const GroupedRefusals& refusals);

  PacketTexts reasons;
  std::vector<std::uint64_t> counts;  ///< of processes, for each reason
  std::vector<std::uint64_t> named;   ///< how many of `names` belong to each reason
  PacketTexts names;
};
/// Throws PacketError if the columns do not fit together.
void read_refusals(GroupedRefusals& refusals, const PacketTexts& reasons, PacketNumbers counts,
                   PacketNumbers named, const PacketTexts& names);

}  // namespace eventspace
