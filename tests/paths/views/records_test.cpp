#include "paths/views/records.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace eventspace {
namespace {

/// Records as in a message: at an address that is not aligned for them.
RecordBlock block_of(std::initializer_list<std::uint64_t> records) {
  const auto message = std::make_shared<std::vector<std::byte>>(3 + records.size() * sizeof(TraceTuple));
  std::size_t at = 3;
  for (const std::uint64_t record : records) {
    const TraceTuple tuple{{record, 1, 2, 3, 4, 5, 6, record + 1}};
    std::memcpy(message->data() + at, &tuple, sizeof tuple);
    at += sizeof tuple;
  }
  return {message, std::span<const std::byte>(*message).subspan(3)};
}

std::string numbers_in(const Records& records) {
  std::string text;
  for (const TraceTuple& record : records) text += std::to_string(record.words[0]) + " ";
  return text;
}

TEST(RecordsTest, ThoseOfAMessageStayInItUntilTheFirstLook) {
  Records records;
  const RecordBlock block = block_of({1, 2});
  records.append(block);
  EXPECT_EQ(records.size(), 2u);
  ASSERT_EQ(records.pieces().size(), 1u);
  EXPECT_EQ(records.pieces()[0].data(), block.bytes.data());
  EXPECT_EQ(records.own_size(), 0u);
  EXPECT_EQ(block.memory.use_count(), 2);
  EXPECT_EQ(numbers_in(records), "1 2 ");
  EXPECT_EQ(records[1].words[7], 3u);
  EXPECT_EQ(records.own_size(), 2u);
  EXPECT_EQ(block.memory.use_count(), 1);
}

TEST(RecordsTest, TheEndCanBeAskedForBeforeTheBeginning) {
  Records records;
  records.append(block_of({1, 2}));
  const TraceTuple* const end = records.end();
  EXPECT_EQ(end - records.begin(), 2);
}

TEST(RecordsTest, KeepTheOrderInWhichTheyWereAppended) {
  std::vector<Records> parts(6);
  parts[0].push_back({{1}});
  parts[1].append(block_of({2, 3}));
  parts[2].push_back({{4}});
  parts[3].push_back({{5}});
  parts[4].append(block_of({6}));
  parts[4].push_back({{7}});
  parts[5].append(block_of({8}));
  parts[5].append(block_of({9}));
  Records sum;
  for (Records& part : parts) sum.append(std::move(part));
  EXPECT_EQ(sum.size(), 9u);
  EXPECT_EQ(numbers_in(sum), "1 2 3 4 5 6 7 8 9 ");
  EXPECT_EQ(sum.size(), 9u);
}

TEST(RecordsTest, ABlockComesBehindThoseThatWereAppendedBefore) {
  Records records;
  records.push_back({{1}});
  records.append(block_of({2}));
  records.push_back({{3}});
  EXPECT_EQ(records.pieces().size(), 3u);
  EXPECT_EQ(numbers_in(records), "1 2 3 ");
}

TEST(RecordsTest, BlocksThatCameAheadArePutInFront) {
  Records records{{{3}}, {{4}}};
  const std::vector<RecordBlock> ahead{block_of({1}), block_of({2})};
  records.put_in_front(ahead);
  EXPECT_EQ(numbers_in(records), "1 2 3 4 ");
}

TEST(RecordsTest, AreEqualWhereverTheyLie) {
  Records here{TraceTuple{{5, 1, 2, 3, 4, 5, 6, 6}}};
  Records there;
  there.append(block_of({5}));
  EXPECT_EQ(here, there);
  there.push_back({{6}});
  EXPECT_NE(here, there);
}

TEST(RecordsTest, ErasingSeesThemAll) {
  Records records;
  records.append(block_of({1, 2, 3}));
  records.push_back({{4}});
  EXPECT_EQ(erase_if(records, [](const TraceTuple& tuple) { return tuple.words[0] % 2 == 0; }), 2u);
  EXPECT_EQ(numbers_in(records), "1 3 ");
}

TEST(RecordsTest, ClearedThereAreNone) {
  Records records;
  records.append(block_of({1}));
  records.push_back({{2}});
  records.clear();
  EXPECT_TRUE(records.empty());
  EXPECT_TRUE(records.pieces().empty());
  EXPECT_EQ(numbers_in(records), "");
}

}  // namespace
}  // namespace eventspace
