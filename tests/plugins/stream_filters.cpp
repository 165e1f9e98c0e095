#include <eventspace/stream_filter.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <eventspace/packet.h>

// A user's filters and rules of streams, with the faults that tests need.

namespace eventspace::streams {
namespace {

using Numbers = Format<std::int64_t>;

/// `{do: WHAT, file: F}`: sums numbers, and adds 1000 for each wave before this one. odd_filter() has the
/// allowed values of WHAT. When it is destroyed, it appends a line to the file.
class OddFilter final : public Filter {
 public:
  OddFilter(std::string what, std::filesystem::path file) : what_(std::move(what)), file_(std::move(file)) {}
  ~OddFilter() override {
    if (what_ == "count") std::ofstream(file_, std::ios::app) << "destroyed after " << waves_ << "\n";
  }
  OddFilter(const OddFilter&) = delete;
  OddFilter& operator=(const OddFilter&) = delete;

  void apply(const Wave& wave, std::vector<Packet>& out) override {
    std::int64_t sum = what_ == "count" ? 1000 * waves_ : 0;
    ++waves_;
    for (const Contribution& one : wave.packets) sum += PacketView(one.packet).number<std::int64_t>(0);
    if (what_ == "throw") throw std::runtime_error("the moon is full");
    if (what_ == "throw-int") throw 7;
    if (what_ == "hang") hang();
    const int packets = what_ == "two" ? 2 : what_ == "none" ? 0 : 1;
    for (int i = 0; i < packets; ++i) out.push_back(Numbers::make(wave.packets.front().packet.tag, sum));
  }

 private:
  /// Blocks until the test creates the file.
  void hang() const {
    while (!std::filesystem::exists(file_)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::string what_;
  std::filesystem::path file_;
  std::int64_t waves_{0};
};

FilterInfo odd_filter(std::string name, bool keeps_waves) {
  ParameterSpec what{"do", ParameterKind::text};
  what.default_value = std::string("sum");
  what.choices = {"sum", "count", "throw", "throw-int", "hang", "two", "none", "refuse"};
  what.help = "what it does";
  ParameterSpec file{"file", ParameterKind::text};
  file.default_value = std::string();
  file.help = "with hang: until this file is there; with count: told when the filter is destroyed";
  return {std::move(name),
          "sums numbers",
          {what, file},
          keeps_waves,
          [](const Parameters& given, FilterPlace) -> std::unique_ptr<Filter> {
            const auto& asked = parameter<std::string>(given, "do");
            if (asked == "refuse") throw std::invalid_argument("it cannot be done");
            return std::make_unique<OddFilter>(asked, parameter<std::string>(given, "file"));
          }};
}

/// `{of: N}`: a wave is of the first N children that have a packet; a packet whose wave has gone is dropped.
class Quorum final : public WaveRule {
 public:
  explicit Quorum(std::int64_t of) : of_(of) {}

  Choice choose(std::span<const Waiting> waiting, Clock::time_point /*now*/) override {
    Choice choice;
    for (const Waiting& one : waiting) {
      if (one.first == nullptr) continue;
      if (one.first->tag == -1) throw std::runtime_error("nobody may send the tag -1");
      auto& chosen = one.first->wave < gone_ ? choice.drop : choice.pass;
      chosen.push_back(one.child);
    }
    if (static_cast<std::int64_t>(choice.pass.size()) < of_) {
      choice.pass.clear();
    } else {
      ++gone_;
    }
    return choice;
  }

 private:
  std::int64_t of_;
  std::uint64_t gone_{0};
};

RuleInfo quorum() {
  ParameterSpec of{"of", ParameterKind::integer};
  of.required = true;
  of.least = 1;
  of.help = "so many children are enough";
  return {"quorum", "waves of some children", {of}, [](const Parameters& given) {
            return std::make_unique<Quorum>(parameter<std::int64_t>(given, "of"));
          }};
}

plugin::Offer offer() {
  return {.filters = {odd_filter("odd", true), odd_filter("any-number", false)}, .rules = {quorum()}};
}

}  // namespace
}  // namespace eventspace::streams

EVENTSPACE_STREAM_FILTERS(eventspace::streams::offer)
