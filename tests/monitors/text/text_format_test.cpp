#include "monitors/text/text_format.h"

#include <gmock/gmock.h>

#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"

namespace eventspace {
namespace {

TEST(TextFormat, NumbersHaveSixDigitsOrAllBeforeThePoint) {
  EXPECT_EQ(number_text(12.5), "12.5");
  EXPECT_EQ(number_text(123456.7), "123457");
  EXPECT_EQ(number_text(61910712.0), "61910712");
  EXPECT_EQ(number_text(999999.4), "999999");
  EXPECT_EQ(number_text(999999.7), "1000000");
  EXPECT_EQ(number_text(-61910712.4), "-61910712");
  EXPECT_EQ(number_text(7.1e17), "7.1e+17");
  EXPECT_EQ(number_text(0.00012), "0.00012");
  EXPECT_EQ(number_text(-0.0), "0");
}

TEST(DescribedFields, AreThoseOfTheKindAndNoOthersWithSuchNames) {
  EXPECT_TRUE(is_described(probe_kind, "value1"));
  EXPECT_TRUE(is_described(probe_kind, "value8"));
  EXPECT_FALSE(is_described(probe_kind, "value9"));
  EXPECT_FALSE(is_described(probe_kind, "values"));
  EXPECT_FALSE(is_described(operation_kind, "value1"));
  EXPECT_TRUE(is_described(mpi_kind, "tag"));
  EXPECT_FALSE(is_described(probe_kind, "tag"));
}

}  // namespace
}  // namespace eventspace
