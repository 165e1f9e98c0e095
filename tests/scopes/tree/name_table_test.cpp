#include "scopes/tree/name_table.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "scopes/tree/local_ids.h"

namespace eventspace {
namespace {

constexpr auto probe = OwnNameOf::probe;

struct NameTableTest : testing::Test {
  void learn(OwnNameOf of, std::uint32_t number, std::string text) {
    table.learn(std::array{OwnName{of, number, std::move(text)}});
  }
  NameTable table;
};

TEST_F(NameTableTest, ANumberHasTheNameThatWasLearnt) {
  learn(probe, 7, "solve");
  learn(OwnNameOf::values, 7, "steps, residual");
  EXPECT_EQ(table.find(probe, 7), "solve");
  EXPECT_EQ(table.find(OwnNameOf::values, 7), "steps, residual");
  EXPECT_EQ(table.find(OwnNameOf::thread, 7), "");
  EXPECT_EQ(table.find(probe, 8), "");
}

TEST_F(NameTableTest, ANumberWithSeveralNamesHasAllOfThem) {
  learn(probe, 7, "a");
  const std::string_view before = table.find(probe, 7);
  for (const char* const name : {"b", "a", "b", "a or b"}) learn(probe, 7, name);
  EXPECT_EQ(table.find(probe, 7), "a or b or a or b");
  EXPECT_EQ(before, "a");  // still valid
  learn(OwnNameOf::values, 7, "x");
  learn(OwnNameOf::values, 7, "y");
  EXPECT_EQ(table.find(OwnNameOf::values, 7), "x");
}

TEST_F(NameTableTest, ANumberThatWasGivenToAnotherProcessHasItsName) {
  for (const OwnNameOf of : {OwnNameOf::thread, OwnNameOf::path, OwnNameOf::process, OwnNameOf::node}) {
    learn(of, 7, "old");
    learn(of, 7, "new");
    EXPECT_EQ(table.find(of, 7), "new");
  }
}

TEST_F(NameTableTest, NamesAreNotTrusted) {
  learn(probe, 1, "");
  learn(probe, 2, std::string(NameTable::longest_name + 1, 'x'));
  learn(static_cast<OwnNameOf>(99), 3, "x");
  learn(probe, 4, "\x1b[2J\n\x7f");
  EXPECT_EQ(table.find(probe, 1), "");
  EXPECT_EQ(table.find(probe, 2), "");
  EXPECT_EQ(table.find(static_cast<OwnNameOf>(99), 3), "");
  EXPECT_EQ(table.find(probe, 4), "?[2J??");
}

TEST_F(NameTableTest, AnAttackerCannotMakeItGrowWithoutBound) {
  for (int i = 0; i < 10'000; ++i) learn(probe, 1, "name number " + std::to_string(i));
  EXPECT_LT(table.find(probe, 1).size(), NameTable::longest_name);
}

TEST_F(NameTableTest, AMillionNamesAreKeptAndLaterOnesNot) {
  std::vector<OwnName> names;
  names.push_back({OwnNameOf::thread, 7, "of the first process"});
  for (std::uint32_t i = 1; i < NameTable::max_names + 10; ++i) names.push_back({probe, i, "name"});
  table.learn(names);
  EXPECT_EQ(table.find(probe, NameTable::max_names - 1), "name");
  EXPECT_EQ(table.find(probe, NameTable::max_names), "");
  EXPECT_EQ(table.find(OwnNameOf::thread, 7), "of the first process");
  learn(OwnNameOf::thread, 7, "of the first process");
  EXPECT_EQ(table.find(OwnNameOf::thread, 7), "of the first process");
  learn(OwnNameOf::thread, 7, "of another process");
  EXPECT_EQ(table.find(OwnNameOf::thread, 7), "");  // rather than a wrong name
}

TEST_F(NameTableTest, LongNamesAreKeptUntilTheirBytesAreTooMany) {
  const std::uint32_t fitting = NameTable::max_bytes / NameTable::longest_name;
  for (std::uint32_t i = 0; i < fitting + 10; ++i) learn(probe, i, std::string(NameTable::longest_name, 'x'));
  EXPECT_NE(table.find(probe, fitting - 1), "");
  EXPECT_EQ(table.find(probe, fitting), "");
  learn(probe, 1, "y");  // a known number cannot get another name either
  EXPECT_EQ(table.find(probe, 1), std::string(NameTable::longest_name, 'x'));
}

TEST(LocalIds, EachProcessHasItsRange) {
  EXPECT_EQ(local_ids_of(0), first_local_id);
  EXPECT_EQ(process_of_local_id(*local_ids_of(3) + local_ids_per_process - 1), 3u);
  EXPECT_EQ(process_of_local_id(~0U), max_processes - 1);
  EXPECT_TRUE(local_ids_of(dynamic_process));
  EXPECT_FALSE(local_ids_of(max_processes - 1));
  EXPECT_FALSE(is_local_id(first_local_id - 1));
}

TEST(LocalIds, NodesShareTheProcessNumbersBehindThePlan) {
  const ProcessRange first = dynamic_range(10, 3, 0);
  const ProcessRange last = dynamic_range(10, 3, 2);
  EXPECT_EQ(first.first, 10u);
  EXPECT_EQ(dynamic_range(10, 3, 1).first, first.first + first.count);
  EXPECT_TRUE(last.has(last.first + last.count - 1));
  EXPECT_LE(last.first + last.count, dynamic_process);
  EXPECT_FALSE(last.has(last.first - 1));
  EXPECT_EQ(dynamic_range(max_processes, 1, 0).count, 0u);
}

}  // namespace
}  // namespace eventspace
