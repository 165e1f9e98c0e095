#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include <eventspace/error.h>
#include <eventspace/stream_filter.h>
#include <eventspace/streams.h>
#include "monitors/probing/listing/listing_layout.h"
#include "monitors/probing/listing/listing_packets.h"
#include "monitors/probing/nodes/group_filter.h"
#include "monitors/probing/work/listing_work.h"
#include "tests/monitors/probing/target.h"
#include "tests/paths/wire/layout_test.h"

// Equivalence classes of modules: how they are formed, sent and read.

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing_probing::eventually;
using testing_probing::Target;
using testing_probing::text_of;

ListedClass of_process(const std::string& key, std::uint64_t machine, std::int32_t pid,
                       const std::string& path = "/bin/app") {
  return {{key, path, 1, machine, pid}, {}};
}

ListingAnswer answer_of(const std::vector<ListedClass>& classes, bool keeps_apart = false) {
  ListingAnswer answer;
  answer.processes = answer.done = classes.size();
  answer.keeps_apart = keeps_apart;
  for (const ListedClass& one : classes) answer.add(one);
  return answer;
}

TEST(ModuleClasses, AreTheSameInWhicheverOrderAnswersAreMerged) {
  std::vector<ListingAnswer> all;
  for (std::uint64_t machine = 0; machine < 5; ++machine)
    all.push_back(answer_of({of_process("aa", machine, 10), of_process("bb", machine, 11),
                             of_process("aa", machine, 12, machine == 3 ? "/a/app" : "/bin/app")}));
  ListingAnswer forward;
  for (const ListingAnswer& one : all) forward.merge(one);
  std::ranges::reverse(all);
  ListingAnswer backward;
  for (const ListingAnswer& one : all) backward.merge(one);
  ASSERT_THAT(forward.classes, SizeIs(2));
  EXPECT_EQ(forward.processes, 15U);
  EXPECT_EQ(forward.classes[0].module.processes, 10U);
  EXPECT_EQ(forward.classes[0].module.path, "/a/app") << "that which sorts first";
  EXPECT_EQ(forward.classes[1].module.processes, 5U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(forward.classes[i].module, backward.classes[i].module);
}

TEST(ModuleClasses, HaveRepresentativesOnDifferentMachines) {
  std::vector<std::uint64_t> of_machine(4);
  ListingAnswer all;
  for (std::uint64_t machine = 0; machine < of_machine.size(); ++machine)
    for (int module = 0; module < 64; ++module)
      all.add(of_process("key" + std::to_string(module), machine, 7));
  for (const ListedClass& one : all.classes) ++of_machine[one.module.machine];
  for (const std::uint64_t count : of_machine) EXPECT_GT(count, 4U) << "of 16 if it were even";
}

TEST(ModuleClasses, ThatAreKeptApartArePutTogetherAtTheEnd) {
  ListedClass read = of_process("aa", 0, 1);
  read.listed = {{{{1, 2}, {"possible", "", "f"}}}, 1};
  const ListingAnswer apart = answer_of({read, of_process("bb", 0, 1), read}, true);
  EXPECT_THAT(apart.classes, SizeIs(3));
  ListingAnswer merged = apart;
  merged.merge(apart);
  EXPECT_THAT(merged.classes, SizeIs(6));
  const ListingAnswer together = put_together(merged);
  ASSERT_THAT(together.classes, SizeIs(2));
  EXPECT_EQ(together.classes[0].module.processes, 4U);
  EXPECT_EQ(together.classes[0].listed.rows, read.listed.rows);
  EXPECT_EQ(together.processes, 6U);
}

TEST(ModuleClasses, ThatDoNotFitInAnAnswerAreCounted) {
  ListingAnswer answer;
  for (int i = 0; i < 3; ++i) {
    ListedClass large = of_process("key" + std::to_string(i), 0, 1);
    large.listed.rows.assign(5, {{1, 2}, {std::string(ListingAnswer::max_bytes / 8, 'x')}});
    answer.add(large);
  }
  EXPECT_THAT(answer.classes, SizeIs(1));
  EXPECT_EQ(answer.left_out, 10U);
}

/// Adds classes that `make` makes until the answer is full.
ListingAnswer filled(const std::function<ListedClass(int)>& make) {
  ListingAnswer answer;
  answer.keeps_apart = true;  // classes are appended
  for (int i = 0; answer.left_out == 0; ++i) answer.add(make(i));
  return answer;
}

TEST(ModuleClasses, FitInAPacketWhateverTheyAreMadeOf) {
  const auto bytes_of = [](const ListingAnswer& answer) { return packet_of(answer).bytes(); };
  const std::string path(1000, 'p');
  const auto of_path = [&](int i) { return of_process("key" + std::to_string(i), 0, 1, path); };
  EXPECT_GT(bytes_of(filled(of_path)), ListingAnswer::max_bytes * 9 / 10) << "of paths";
  const ListedRows small{std::vector<ListedRow>(1000, {{1, 2}, {"", "f"}}), 1000};
  const auto of_rows = [&](int) { return ListedClass{of_process("aa", 0, 1).module, small}; };
  EXPECT_GT(bytes_of(filled(of_rows)), ListingAnswer::max_bytes / 2) << "of rows";
  EXPECT_GT(bytes_of(filled([&](int) { return of_process("content:1234567:0123456789abcdef", 0, 1); })),
            std::size_t{3} << 20)
      << "max_classes of them";
}

TEST(ModuleClasses, FitInAPacketAlsoWhenTheyGetLongerPathsAndRows) {
  const int many = 2000;
  ListingAnswer answer;
  for (int i = 0; i < many; ++i) answer.add(of_process("key" + std::to_string(i), 0, 1, "/z"));
  ListedClass longer = of_process("", 0, 1, "/" + std::string(16384, 'a'));
  longer.listed.rows.assign(100, {{1, 2}, {std::string(100, 'f')}});
  for (int i = 0; i < many; ++i) {
    longer.module.key = "key" + std::to_string(i);
    answer.add(longer);
  }
  EXPECT_GT(answer.left_out, 0U);
  EXPECT_EQ(answer.classes[0].module.processes, 2U);
  EXPECT_EQ(answer.classes[0].listed.rows, longer.listed.rows);
  EXPECT_GT(packet_of(answer).bytes(), ListingAnswer::max_bytes * 9 / 10);
}

TEST(ModuleClasses, RowsOfAnotherShapeAreRefusedAndTheOthersStay) {
  ListedClass fine = of_process("aa", 0, 1, "/bin/app");
  fine.listed = {{{{1, 2}, {"possible", "", "f"}}}, 1};
  ListedClass other = of_process("bb", 1, 7, "/bin/other");
  other.listed = {{{{1, 2, 3}, {"f"}}, {{4, 5, 6}, {"g"}}}, 2};
  // Either class can be the first in the merged answer.
  for (const std::vector<ListedClass>& classes : {std::vector{fine, other}, std::vector{other, fine}}) {
    ListingAnswer merged;
    merged.keeps_apart = true;
    for (const ListedClass& one : classes) merged.merge(listing_answer_in(packet_of(answer_of({one}, true))));
    ListingAnswer read = listing_answer_in(packet_of(merged));
    ASSERT_THAT(read.classes, SizeIs(2)) << "rows of both can be read one level up";
    refuse_other_rows(read, Listing::functions);
    ASSERT_THAT(read.classes, SizeIs(1));
    EXPECT_EQ(read.classes[0].listed.rows, fine.listed.rows);
    EXPECT_THAT(read.refusals.lines(), ElementsAre(HasSubstr("process 7: /bin/other cannot be listed")));
  }
}

TEST(ListingPackets, ComeBackAsTheyWereSent) {
  ListingOrder order;
  order.step = ListingStep::read;
  order.choice.where = "rank < 4";
  order.modules = "lib*";
  order.listing = Listing::user_probes;
  order.functions = {"solve*", "main", true};
  order.classes = {{"aa", "/bin/app", 5, 3, 4711}, {"content:5:00", "/lib/b.so", 1, 0, 12}};
  const ListingOrder read = listing_order_in(packet_of(order));
  EXPECT_EQ(read.step, order.step);
  EXPECT_EQ(read.choice, order.choice);
  EXPECT_EQ(read.modules, order.modules);
  EXPECT_EQ(read.listing, order.listing);
  EXPECT_EQ(read.functions.pattern, "solve*");
  EXPECT_EQ(read.functions.callers_of, "main");
  EXPECT_TRUE(read.functions.can_be_probed_only);
  EXPECT_EQ(read.classes, order.classes);
  EXPECT_EQ(read.classes[1].build_id(), "");

  ListingAnswer answer = answer_of({of_process("aa", 1, 2), of_process("bb", 3, 4)});
  answer.classes[1].listed = {{{{7, 8}, {"possible", "a.cpp:3", "f"}}, {{9, 10}, {"", "", "g"}}}, 20};
  answer.refusals.add(5, "process 5 is of another user", "n1:5");
  const ListingAnswer back = listing_answer_in(packet_of(answer));
  ASSERT_THAT(back.classes, SizeIs(2));
  EXPECT_EQ(back.classes[1].module, answer.classes[1].module);
  EXPECT_EQ(back.classes[1].listed.rows, answer.classes[1].listed.rows);
  EXPECT_EQ(back.classes[1].listed.looked_at, 20U);
  EXPECT_EQ(back.refusals.lines(), answer.refusals.lines());
}

TEST(ListingPackets, RowsOfNothingAndRowsThatAreTooWideAreRefused) {
  const auto is_refused = [](std::size_t numbers, std::size_t texts) {
    ListedClass one = of_process("aa", 0, 1);
    one.listed.rows = {{std::vector<std::uint64_t>(numbers, 1), std::vector<std::string>(texts, "f")}};
    try {
      (void)listing_answer_in(packet_of(answer_of({one})));
    } catch (const streams::PacketError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(is_refused(1, 1));
  EXPECT_TRUE(is_refused(0, 1));
  EXPECT_TRUE(is_refused(1, 0));
  EXPECT_FALSE(is_refused(ListedRow::max_numbers, ListedRow::max_texts));
  EXPECT_TRUE(is_refused(ListedRow::max_numbers + 1, 1));
  EXPECT_TRUE(is_refused(1, ListedRow::max_texts + 1));
}

TEST(ListingPackets, OrdersAreCheckedByTheirReceivers) {
  const auto refused = [](ListingOrder order) { (void)listing_order_in(packet_of(order)); };
  EXPECT_NO_THROW(refused({}));
  EXPECT_THROW(refused({.step = static_cast<ListingStep>(4)}), streams::PacketError);
  EXPECT_THROW(refused({.listing = static_cast<Listing>(0)}), streams::PacketError);
  EXPECT_THROW(refused({.choice = {.groups = {"a"}}}), ConfigurationError) << "without its group";
  EXPECT_THROW(refused({.modules = "["}), ConfigurationError);
  EXPECT_THROW(refused({.functions = {.pattern = "["}}), ConfigurationError);
}

TEST(ListingPackets, TheFilterPutsClassesTogetherAndOneFaultyAnswerDoesNotLoseTheOthers) {
  register_group_filters();
  const auto filter = streams::make_filter({.name = listing_filter}, {});
  streams::Wave wave;
  wave.packets.push_back({0, packet_of(answer_of({of_process("aa", 0, 1)})), {}});
  wave.packets.push_back({1, streams::Packet(), {}});
  wave.packets.push_back({2, packet_of(answer_of({of_process("aa", 2, 1)})), {}});
  std::vector<streams::Packet> out;
  filter->apply(wave, out);
  ASSERT_THAT(out, SizeIs(1));
  const ListingAnswer answer = listing_answer_in(out[0]);
  ASSERT_THAT(answer.classes, SizeIs(1));
  EXPECT_EQ(answer.classes[0].module.processes, 2U);
  EXPECT_THAT(answer.refusals.lines(), ElementsAre(HasSubstr("cannot be read")));
}

bool runs(const Target& target, const std::string& name) {
  return eventually(
      [&] { return text_of("/proc/" + std::to_string(target.pid()) + "/comm") == name + "\n"; });
}

TEST(ListingHere, ReadsAModuleInAnotherOfItsProcessesIfTheRepresentativeHasEnded) {
  ListingHere here(3);
  ListingOrder order;
  order.modules = "sleep";
  order.functions.pattern = "*";
  auto first = std::make_unique<Target>(std::vector<std::string>{"/bin/sleep", "60"});
  const Target second({"/bin/sleep", "60"});
  ASSERT_TRUE(runs(*first, "sleep") && runs(second, "sleep"));
  order.choice.pids = {first->pid(), second.pid()};
  ListingAnswer classes = here.carry_out(order);
  ASSERT_THAT(classes.classes, SizeIs(1));
  EXPECT_EQ(classes.classes[0].module.processes, 2U);
  EXPECT_EQ(classes.classes[0].module.machine, 3U);
  order.step = ListingStep::read;
  order.listing = Listing::summary;
  order.classes = {classes.classes[0].module};
  order.classes[0].pid = first->pid();
  first.reset();
  const ListingAnswer read = here.carry_out(order);
  ASSERT_THAT(read.classes, SizeIs(1)) << testing::PrintToString(read.refusals.lines());
  EXPECT_EQ(read.classes[0].module.processes, 2U);
  EXPECT_THAT(read.classes[0].listed.rows, SizeIs(1));
  order.classes[0].machine = 4;
  EXPECT_THAT(here.carry_out(order).classes, SizeIs(0)) << "it represents others only";
}

TEST(ListingHere, SaysWhenAllProcessesOfAClassHaveEnded) {
  ListingHere here;
  ListingOrder order;
  order.step = ListingStep::read;
  order.classes = {{"aa", "/bin/gone", 2, 0, 4711}};
  const ListingAnswer answer = here.carry_out(order);
  EXPECT_THAT(answer.classes, SizeIs(0));
  EXPECT_THAT(answer.refusals.lines(), ElementsAre(HasSubstr("/bin/gone cannot be listed: its processes")));
}

}  // namespace
}  // namespace eventspace

namespace eventspace::test {

using ListingTypes = testing::Types<ListingOrder, ListedModules, ModuleClass, ListedClass>;
INSTANTIATE_TYPED_TEST_SUITE_P(Listing, LayoutTest, ListingTypes);

}  // namespace eventspace::test
