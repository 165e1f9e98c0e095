#include <eventspace/pathmap.h>

#include <gmock/gmock.h>

#include <eventspace/error.h>
#include "tests/pathmaps/observing/observed_pair.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using PathmapTest = test::ObservedPair;

TEST_F(PathmapTest, NamesWhatItDescribes) {
  const Pathmap pathmap = Pathmap::load(pathmap_);
  ASSERT_TRUE(pathmap.is_valid());
  EXPECT_THAT(pathmap.faults(), IsEmpty());
  EXPECT_EQ(pathmap.name(), "observed");
  EXPECT_THAT(pathmap.nodes(), ElementsAre("here"));
  EXPECT_THAT(pathmap.processes(), ElementsAre("p"));
  EXPECT_THAT(pathmap.threads_of("p"), ElementsAre("a", "b"));
  EXPECT_THAT(pathmap.scopes(), ElementsAre("events", "newest", "means"));
  EXPECT_THROW((void)pathmap.threads_of("q"), ConfigurationError);
}

TEST_F(PathmapTest, ItsPlanIsForSessions) {
  session_.reset();
  Session session = Session::join(Pathmap::load(pathmap_).plan(), "p", {});
  EXPECT_THAT(session.threads(), ElementsAre("a", "b"));
  EXPECT_THAT(thread_names(session.plan()), ElementsAre("a", "b"));
}

TEST(FaultyPathmapTest, FaultsAreValues) {
  const Pathmap pathmap = Pathmap::parse("pathmap: 1\nname: [x]\n", "faulty.yaml");
  EXPECT_FALSE(pathmap.is_valid());
  ASSERT_FALSE(pathmap.faults().empty());
  EXPECT_EQ(pathmap.faults()[0].file, "faulty.yaml");
  try {
    (void)pathmap.name();
    FAIL();
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("faulty.yaml:2:"));
  }
  EXPECT_THAT(Pathmap::load("none.yaml").faults(), SizeIs(1));
}

}  // namespace
}  // namespace eventspace
