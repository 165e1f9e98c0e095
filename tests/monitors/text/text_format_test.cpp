#include "monitors/text/text_format.h"

#include <gmock/gmock.h>

#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"

namespace eventspace {
namespace {

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
