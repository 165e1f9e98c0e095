#pragma once

#include <string>
#include <vector>

#include "collectors/event_record.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::test {

/// Makes names from numbers: thread 3 is "t3", path 30 "path30", process 0 "p0", all on node "n1". Paths 0 to
/// 9 are recorded in trace element 3 of process 0, paths 10 to 19 in trace element 3 of process 1, and so on.
class PlainNames : public PlanNames {
 public:
  PlainNames() {
    for (int i = 0; i < 64; ++i) {
      threads_.push_back("t" + std::to_string(i));
      paths_.push_back("path" + std::to_string(i));
      processes_.push_back("p" + std::to_string(i));
    }
  }
  [[nodiscard]] std::string_view thread_name(std::uint32_t i) const override { return name(threads_, i); }
  [[nodiscard]] std::string_view path_name(std::uint32_t i) const override { return name(paths_, i); }
  [[nodiscard]] std::string_view process_name(std::uint32_t i) const override { return name(processes_, i); }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t) const override { return "n1"; }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t) const override {
    if (path >= paths_.size()) return std::nullopt;
    return SourceRef{3, path / 10};
  }

 private:
  static std::string_view name(const std::vector<std::string>& names, std::uint32_t i) {
    return i < names.size() ? std::string_view(names[i]) : "?";
  }
  std::vector<std::string> threads_, paths_, processes_;
};

/// Event number `sequence` of a thread, from `start` to `end`; with an end of 0 it is in flight.
inline TraceTuple event(std::uint64_t sequence, std::uint64_t start, std::uint64_t end,
                        std::uint32_t thread = 1, Verb verb = Verb::write) {
  EventRecord record;
  record.sequence = sequence;
  record.start = start;
  record.end = end;
  record.thread = thread;
  record.path = thread;
  record.verb = verb;
  record.status = end == 0 ? Status::under_way : Status::ok;
  return encode(record);
}

/// Returns the sequence numbers in a view, in order.
inline std::vector<std::uint64_t> sequences(const View& view) {
  std::vector<std::uint64_t> result;
  for (const TraceTuple& tuple : view.records) result.push_back(tuple.words[0]);
  return result;
}
/// Returns them as text: "1 2 5", and "3*" for an operation in flight.
inline std::string told(const View& view) {
  std::string text;
  for (const TraceTuple& tuple : view.records) {
    text += (text.empty() ? "" : " ") + std::to_string(tuple.words[0]);
    if (decode(tuple).in_flight()) text += "*";
  }
  return text;
}

}  // namespace eventspace::test
