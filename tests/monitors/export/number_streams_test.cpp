#include "monitors/export/sinks/number_streams.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <vector>

#include <eventspace/error.h>
#include "tests/error_text.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace::exports {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Rows = std::vector<std::vector<std::uint64_t>>;

class NumberStreamsTest : public testing::Test {
 protected:
  static Rows rows_of(const NumberStreams& streams, std::size_t stream) {
    Rows rows;
    streams.read(stream, [&](NumberStreams::Row row) {
      rows.emplace_back(row.begin(), row.end());
      return true;
    });
    return rows;
  }
  static void add(NumberStreams& streams, std::size_t stream, const std::vector<std::uint64_t>& row) {
    streams.add(stream, row);
  }

  test::TemporaryDirectory directory_;
};

TEST_F(NumberStreamsTest, AFewRowsStayInMemory) {
  NumberStreams streams("/proc/none");  // no file can be made there
  add(streams, 1, {1, UINT64_MAX, 0});
  add(streams, 0, {});
  add(streams, 1, {127, 128, 1ULL << 63});
  EXPECT_EQ(rows_of(streams, 0), Rows{{}});
  EXPECT_EQ(rows_of(streams, 1), (Rows{{1, UINT64_MAX, 0}, {127, 128, 1ULL << 63}}));
  EXPECT_THAT(rows_of(streams, 2), IsEmpty());
}

// Rows of any length begin and end anywhere in blocks of the file.
TEST_F(NumberStreamsTest, StreamsThatGrewTogetherAreReadOneAfterTheOther) {
  std::random_device seed;
  const auto chosen = seed();
  std::mt19937_64 random(chosen);
  NumberStreams streams(directory_.path());
  std::map<std::size_t, Rows> expected;
  for (int i = 0; i < 30'000; ++i) {
    const std::size_t stream = random() % 5;
    std::vector<std::uint64_t> row(random() % 12);
    for (std::uint64_t& number : row) number = random() >> (random() % 64);
    add(streams, stream, row);
    expected[stream].push_back(row);
  }
  for (const auto& [stream, rows] : expected)
    EXPECT_TRUE(rows_of(streams, stream) == rows) << "stream " << stream << ", seed " << chosen;
  EXPECT_THAT(directory_.files(), IsEmpty()) << "its file has no name";
}

TEST_F(NumberStreamsTest, ReadingEndsWhenTheUserSaysSo) {
  NumberStreams streams(directory_.path());
  for (std::uint64_t i = 0; i < 10; ++i) add(streams, 0, {i});
  std::vector<std::uint64_t> seen;
  streams.read(0, [&](NumberStreams::Row row) {
    seen.push_back(row[0]);
    return seen.size() < 3;
  });
  EXPECT_THAT(seen, ElementsAre(0, 1, 2));
}

TEST_F(NumberStreamsTest, ADirectoryWhereNoFileCanBeMadeIsNamed) {
  NumberStreams streams("/proc/none");
  EXPECT_THAT(test::error_text<EnvironmentError>([&] {
                for (std::uint64_t i = 0; i < 100'000; ++i) add(streams, 0, {i});
              }),
              testing::HasSubstr("/proc/none"));
}

}  // namespace
}  // namespace eventspace::exports
