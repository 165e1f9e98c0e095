#include "monitors/probing/nodes/group_filter.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include <eventspace/stream_filter.h>
#include "monitors/probing/groups/group_packets.h"
#include "monitors/probing/listing/listing_packets.h"

namespace eventspace {
namespace {

/// An answer that is too large for a packet is replaced by one that reports the loss; without an answer, all
/// machines below would be missing.
template <class Answer>
streams::Packet packet_of_all(const Answer& all) {
  try {
    return packet_of(all);
  } catch (const Error& error) {
    Answer lost;
    lost.processes = all.processes;
    lost.refusals.add(fmt::format("the answers of machines were lost: {}", error.what()),
                      {all.processes, {}});
    return packet_of(lost);
  }
}

/// Merges answers, which `answer_of` parses.
template <class Answer, Answer (*answer_of)(const streams::Packet&)>
class MergedAnswers final : public streams::Filter {
 public:
  // If the answer of one machine cannot be parsed, the others are still merged.
  void apply(const streams::Wave& wave, std::vector<streams::Packet>& out) override {
    Answer all;
    for (const streams::Contribution& one : wave.packets) {
      try {
        all.merge(answer_of(one.packet));
      } catch (const Error& error) {
        all.refusals.add(fmt::format("the answer of a machine cannot be read: {}", error.what()), {1, {}});
      }
    }
    out.push_back(packet_of_all(all));
  }
};

template <class Filter>
void add_filter(const char* name, const char* help) {
  auto& registry = streams::FilterRegistry::instance();
  if (registry.find(name) != nullptr) return;
  registry.add(
      {.name = name,
       .help = help,
       .parameters = {},
       .make = [](const Parameters&, const streams::FilterPlace&) { return std::make_unique<Filter>(); }});
}

}  // namespace

void register_group_filters() {
  add_filter<MergedAnswers<GroupAnswer, answer_in>>(group_filter,
                                                    "merges the answers of groups of processes");
  add_filter<MergedAnswers<ListingAnswer, listing_answer_in>>(
      listing_filter, "puts modules that are the same in several processes into one class");
}

}  // namespace eventspace
