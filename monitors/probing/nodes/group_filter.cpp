#include "monitors/probing/nodes/group_filter.h"

#include <fmt/format.h>

#include "monitors/probing/groups/group_packets.h"
#include "scopes/streams/filters/filter.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

class GroupAnswers final : public streams::Filter {
 public:
  // One machine whose answer cannot be read does not lose those of the others.
  void apply(const streams::Wave& wave, std::vector<streams::Packet>& out) override {
    GroupAnswer all;
    for (const streams::Contribution& one : wave.packets) {
      try {
        all.merge(answer_in(one.packet));
      } catch (const Error& error) {
        all.refusals.add(fmt::format("the answer of a machine cannot be read: {}", error.what()), {1, {}});
      }
    }
    out.push_back(packet_of(all));
  }
};

}  // namespace

void register_group_filter() {
  auto& registry = streams::FilterRegistry::instance();
  if (registry.find(group_filter) != nullptr) return;
  registry.add({.name = group_filter,
                .help = "merges the answers of groups of processes",
                .parameters = {},
                .make = [](const Parameters&, const streams::FilterPlace&) {
                  return std::make_unique<GroupAnswers>();
                }});
}

}  // namespace eventspace
