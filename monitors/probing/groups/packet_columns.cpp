#include "monitors/probing/groups/packet_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "scopes/streams/packets/packet.h"

namespace eventspace {

using streams::PacketError;

PacketTexts views_of(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }
std::vector<std::string> strings_of(const PacketTexts& texts) { return {texts.begin(), texts.end()}; }

void require_group_version(std::uint32_t version) {
  if (version != group_packets_version)
    throw PacketError(
        fmt::format("another version of eventspace: found version {} of orders to groups, expected {}",
                    version, group_packets_version));
}

void refuse_other_version() {
  throw PacketError("another version of eventspace: its packets to groups have another format");
}

void require_fit(bool fits) {
  if (!fits) throw PacketError("the lists in an answer of a group do not match");
}

// Each text is "NAME<TAB>CHOICE".
std::vector<std::string> texts_of(const ProcessGroups& groups) {
  std::vector<std::string> texts;
  for (const auto& [name, choice] : groups) texts.push_back(name + '\t' + to_text(choice));
  return texts;
}

ProcessGroups groups_in(const PacketTexts& texts) {
  if (texts.size() > max_parts) throw PacketError("an order has too many groups");
  ProcessGroups groups;
  for (const std::string_view text : texts) {
    const std::size_t tab = std::min(text.find('\t'), text.size());
    groups.insert_or_assign(std::string(text.substr(0, tab)),
                            parse_choice(text.substr(std::min(tab + 1, text.size()))));
  }
  return groups;
}

RefusalColumns::RefusalColumns(const GroupedRefusals& refusals) {
  for (const auto& [reason, processes] : refusals.by_reason()) {
    reasons.emplace_back(reason);
    counts.push_back(processes.count);
    named.push_back(processes.named.size());
    names.insert(names.end(), processes.named.begin(), processes.named.end());
  }
}

void read_refusals(GroupedRefusals& refusals, const PacketTexts& reasons, PacketNumbers counts,
                   PacketNumbers named, const PacketTexts& names) {
  require_fit(reasons.size() == counts.size() && reasons.size() == named.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    require_fit(named[i] <= names.size() - at);
    GroupedRefusals::Processes processes{counts[i], {}};
    for (std::size_t j = 0; j < named[i]; ++j) processes.named.emplace_back(names[at++]);
    refusals.add(std::string(reasons[i]), processes);
  }
}

}  // namespace eventspace
