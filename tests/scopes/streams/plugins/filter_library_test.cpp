#include "scopes/streams/plugins/filter_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <eventspace/deadline.h>
#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include "tests/error_text.h"
#include "tests/tuplespace/temporary_directory.h"

// Filters and rules of shared objects: which are loaded, and which are refused with which reason.

namespace eventspace::streams {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Number = Format<std::int64_t>;

const fs::path plugins{EVENTSPACE_PLUGINS};

FilterUse odd(const std::string& what, std::chrono::nanoseconds limit = 60s) {
  return {
      .name = "odd", .parameters = {{"do", what}}, .library = plugins / "stream_filters.so", .limit = limit};
}

Wave wave_of(std::initializer_list<std::int64_t> numbers) {
  Wave wave;
  for (const std::int64_t number : numbers)
    wave.packets.push_back({static_cast<Child>(wave.packets.size()), Number::make(0, number)});
  return wave;
}

/// The number that a filter makes from a wave; -1 after an exception, whose text is in `error`.
std::int64_t apply(Filter& filter, const Wave& wave, std::string& error) {
  std::vector<Packet> out;
  try {
    filter.apply(wave, out);
  } catch (const std::exception& thrown) {
    error = thrown.what();
    return -1;
  }
  return out.size() == 1 ? PacketView(out.front()).number<std::int64_t>(0) : -2;
}

std::string refusal(const FilterUse& use, bool is_rule = false) {
  return eventspace::test::error_text<ConfigurationError>(
      [&] { is_rule ? (void)make_any_rule(use) : (void)make_any_filter(use, {}); });
}

TEST(FilterLibraryTest, AFilterOfASharedObjectHasParametersAndAStateOfItsOwn) {
  const MadeFilter one = make_any_filter(odd("count"), {});
  const MadeFilter other = make_any_filter(odd("count"), {});
  std::string error;
  EXPECT_EQ(apply(*one.filter, wave_of({1, 2}), error), 3);
  EXPECT_EQ(apply(*one.filter, wave_of({1, 2}), error), 1003);
  EXPECT_EQ(apply(*other.filter, wave_of({5}), error), 5);
  EXPECT_TRUE(one.keeps_waves);
  EXPECT_FALSE(
      make_any_filter({.name = "any-number", .library = plugins / "stream_filters.so"}, {}).keeps_waves);
}

TEST(FilterLibraryTest, AnExceptionInASharedObjectIsOneHere) {
  const MadeFilter made = make_any_filter(odd("throw"), {});
  std::string error;
  EXPECT_EQ(apply(*made.filter, wave_of({1}), error), -1);
  EXPECT_EQ(error, "the moon is full");
  EXPECT_EQ(apply(*make_any_filter(odd("throw-int"), {}).filter, wave_of({1}), error), -1);
  EXPECT_EQ(error, "an exception that is not a std::exception");
}

TEST(FilterLibraryTest, AFilterThatHangsLosesWavesUntilItReturns) {
  const eventspace::test::TemporaryDirectory folder;
  FilterUse use = odd("hang", 20ms);
  const fs::path goes = folder.path() / "goes";
  use.parameters["file"] = goes.string();
  const MadeFilter made = make_any_filter(use, {});
  std::string error;
  EXPECT_EQ(apply(*made.filter, wave_of({1}), error), -1);
  EXPECT_EQ(error, "filter 'odd' did not return within its limit of 20ms");
  made.filter->join(7, RankSet::of_range(0, 3));  // the filter receives this when it has returned
  EXPECT_EQ(apply(*made.filter, wave_of({2}), error), -1);
  EXPECT_EQ(error, "filter 'odd' has not returned since an earlier wave");
  std::ofstream{goes} << "now";
  std::int64_t sum = -1;
  for (const Deadline end = Deadline::after(60s); sum == -1 && !end.passed();)
    sum = apply(*made.filter, wave_of({3}), error);
  EXPECT_EQ(sum, 3) << "the results of the waves that were lost are not among them";
}

TEST(FilterLibraryTest, AFilterOfThisProgramHasAThreadIfItHasALimit) {
  std::thread::id where;
  class Where final : public Filter {
   public:
    explicit Where(std::thread::id& seen) : seen_(&seen) {}
    void apply(const Wave& wave, std::vector<Packet>& out) override {
      *seen_ = std::this_thread::get_id();
      out.push_back(wave.packets.front().packet);
    }

   private:
    std::thread::id* seen_;
  };
  FilterRegistry::instance().add({"where", "", {}, true, [&](const Parameters&, FilterPlace) {
                                    return std::make_unique<Where>(where);
                                  }});
  std::string error;
  EXPECT_EQ(apply(*make_any_filter({.name = "where"}, {}).filter, wave_of({4}), error), 4);
  EXPECT_EQ(where, std::this_thread::get_id());
  EXPECT_EQ(apply(*make_any_filter({.name = "where", .limit = 60s}, {}).filter, wave_of({4}), error), 4);
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(FilterLibraryTest, ARuleOfASharedObjectChooses) {
  const FilterUse use{
      .name = "quorum", .parameters = {{"of", std::int64_t{2}}}, .library = plugins / "stream_filters.so"};
  const auto rule = make_any_rule(use);
  const Packet packet = Number::make(0, 1);
  const std::vector<Waiting> waiting{{.child = 4}, {.child = 7, .packets = 1, .first = &packet}};
  EXPECT_TRUE(rule->choose(waiting, {}).pass.empty());
  const std::vector<Waiting> enough{waiting[1], {.child = 9, .packets = 2, .first = &packet}};
  EXPECT_THAT(rule->choose(enough, {}).pass, testing::ElementsAre(7, 9));
  EXPECT_THAT(rule->choose(enough, {}).drop, testing::ElementsAre(7, 9)) << "their wave has gone";
}

TEST(FilterLibraryTest, WhatCannotBeUsedIsRefusedWithTheReason) {
  const auto of = [](const char* file) { return FilterUse{.name = "odd", .library = plugins / file}; };
  EXPECT_THAT(refusal(of("stream_filters_other_version.so")),
              AllOf(HasSubstr("filter 'odd' of "),
                    HasSubstr("has version 2 of the plugin interface; this program expects version 1")));
  EXPECT_THAT(refusal(of("stream_filters_other_layout.so")),
              HasSubstr("was built with a compiler of the year 3000; this program expects libstdc++"));
  EXPECT_THAT(refusal(of("no_entry.so")), HasSubstr("has no entry 'eventspace_stream_filters'"));
  EXPECT_THAT(refusal(of("absent.so")), HasSubstr("absent.so"));
  EXPECT_THAT(refusal({.name = "odd", .library = "stream_filters.so"}), HasSubstr("has to be absolute"));
  EXPECT_THAT(refusal({.name = "any-numbr", .library = plugins / "stream_filters.so"}),
              HasSubstr("unknown filter 'any-numbr'; did you mean 'any-number'?"));
  EXPECT_THAT(refusal({.name = "sum", .library = plugins / "stream_filters.so"}),
              HasSubstr("unknown filter 'sum'"));
  EXPECT_THAT(refusal(odd("swim")), HasSubstr("filter odd"));
  EXPECT_THAT(refusal(odd("refuse")), HasSubstr("cannot be made: it cannot be done"));
  EXPECT_THAT(refusal(odd("sum"), true), HasSubstr("rule 'odd' of"));
  EXPECT_THAT(refusal({.name = "quorum"}, true), HasSubstr("unknown rule 'quorum'"));
}

TEST(FilterLibraryTest, ASharedObjectThatOthersCanChangeIsNotLoaded) {
  const eventspace::test::TemporaryDirectory folder;
  const fs::path copy = folder.path() / "copy.so";
  fs::copy_file(plugins / "stream_filters.so", copy);
  fs::permissions(copy, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(refusal({.name = "odd", .library = copy}), HasSubstr("copy.so"));
  fs::permissions(copy, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_EQ(refusal({.name = "odd", .library = copy}), "");
}

}  // namespace
}  // namespace eventspace::streams
