#include "tuplespace/shared/shared_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/tuplespace/other_namespaces.h"
#include "tests/tuplespace/shared/shared_element_talk.h"
#include "tests/tuplespace/trace/segment_talk.h"

namespace eventspace {
namespace {

using test::patient;
using testing::HasSubstr;

/// This process in session "wind" on node n1, and p0, the home of element "box", as a child.
class SharedSpaceTest : public testing::Test {
 protected:
  static std::vector<SharedElementSpec> box() { return {{{"box", {FieldType::integer}, 3}}}; }
  [[nodiscard]] SharedSpace::Config config(std::uint64_t fingerprint = 0xfeed) const {
    return {"wind", "n1", fingerprint, directory.path()};
  }
  test::Child home(std::uint64_t fingerprint = 0xfeed) {
    test::Child child([config = config(fingerprint)] {
      SharedSpace at_home(config);
      at_home.host("p0", box());
      while (true) ::pause();
    });
    EXPECT_TRUE(test::comes_true([&] {
      const auto files = find_element_files("wind", "n1", directory.path());
      return std::any_of(files.begin(), files.end(), [&child](const auto& file) {
        return file.stem().extension() == "." + std::to_string(child.pid());
      });
    }));
    return child;
  }
  /// Searches until the element is found.
  SharedSpace::Found found() {
    SharedSpace::Found found;
    EXPECT_TRUE(test::comes_true([&] { return (found = space.find("p0", "box")).element != nullptr; }))
        << found.why;
    return found;
  }
  static Operation taken(SharedElement& element, Deadline deadline = patient) {
    return test::performed(element, test::fetch_of(Verb::take, From::oldest, 0, deadline));
  }

  test::TemporaryDirectory directory;
  SharedSpace space{config()};
};

TEST_F(SharedSpaceTest, ElementsOfItsOwnAndOfOthersAreUsedInTheSameWay) {
  const test::Child child = home();
  space.host("p1", {{{"own", {FieldType::integer}, 3}}});
  SharedElement& other = *found().element;
  EXPECT_EQ(test::perform(other, test::write_of(test::one(1))), "#1");
  SharedElement& own = *space.find("p1", "own").element;
  EXPECT_EQ(test::perform(own, test::write_of(test::one(1))), "#1");
}

TEST_F(SharedSpaceTest, AProcessThatHasNotComeIsNamedAndFoundOnceItHas) {
  const SharedSpace::Found missing = space.find("p0", "box");
  EXPECT_EQ(missing.element, nullptr);
  EXPECT_EQ(missing.status, Status::timed_out);
  EXPECT_THAT(missing.why, HasSubstr("process p0 of session 'wind' has no element file in"));
  const test::Child child = home();
  found();
}

TEST_F(SharedSpaceTest, AFileOfAnotherPathmapIsRefused) {
  const test::Child child = home(0xbad);
  EXPECT_TRUE(test::comes_true([&] { return space.find("p0", "box").status == Status::refused; }));
  EXPECT_THAT(space.find("p0", "box").why, HasSubstr("was made from another pathmap"));
}

TEST_F(SharedSpaceTest, ADirectoryThatCannotBeReadIsNamed) {
  SharedSpace::Config odd = config();
  odd.directory /= "file";
  test::write_file(odd.directory, {});
  SharedSpace in_a_file(odd);
  const SharedSpace::Found nothing = in_a_file.find("p0", "box");
  EXPECT_EQ(nothing.status, Status::refused);
  EXPECT_THAT(nothing.why, AllOf(HasSubstr(odd.directory.string()), HasSubstr("Not a directory")));
}

TEST_F(SharedSpaceTest, AnElementThatItsFileDoesNotHaveIsNamed) {
  const test::Child child = home();
  found();
  const SharedSpace::Found nothing = space.find("p0", "nothing");
  EXPECT_EQ(nothing.status, Status::refused);
  EXPECT_THAT(nothing.why, HasSubstr("has no element 'nothing'"));
}

TEST_F(SharedSpaceTest, AKilledHomeEndsTheWaitsAndIsNamed) {
  test::Child child = home();
  const SharedSpace::Found box = found();
  Operation take;
  std::thread waiting([&] { take = taken(*box.element); });
  child.kill();
  waiting.join();
  EXPECT_EQ(take.status, Status::closed);
  EXPECT_THAT(take.reason,
              testing::MatchesRegex("process p0 \\(pid [0-9]+\\), which hosts element 'box', is gone"));
}

TEST_F(SharedSpaceTest, WritesToAKilledHomeThatNeedNotWaitEndToo) {
  test::Child child = home();
  const SharedSpace::Found box = found();
  child.kill();
  EXPECT_TRUE(
      test::comes_true([&] { return test::perform(*box.element, test::discard_through(0)) == "closed"; }));
}

TEST_F(SharedSpaceTest, AHomeThatWasStartedAnewIsFoundBesideTheFileThatTheKilledOneLeft) {
  test::Child first = home();
  const SharedSpace::Found old = found();
  ASSERT_EQ(test::perform(*old.element, test::write_of(test::one(1))), "#1");
  first.kill();
  const test::Child second = home();
  ASSERT_EQ(find_element_files("wind", "n1", directory.path()).size(), 2u);
  ASSERT_TRUE(
      test::comes_true([&] { return test::perform(*old.element, test::fetch_of(Verb::read)) == "closed"; }));
  space.abandon("p0", old.file);
  const SharedSpace::Found anew = found();
  EXPECT_EQ(anew.file->pid(), second.pid());
  EXPECT_EQ(test::perform(*anew.element, test::fetch_of(Verb::read)), "empty");
}

TEST_F(SharedSpaceTest, AProcessWithoutElementsOfItsOwnIsKnownTooAndItsEndIsNoticed) {
  test::Child child([config = config()] {
    SharedSpace at_home(config);
    at_home.host("p2", {});
    while (true) ::pause();
  });
  EXPECT_EQ(space.find_process("p3"), nullptr);
  std::shared_ptr<ElementFileView> file;
  ASSERT_TRUE(test::comes_true([&] { return (file = space.find_process("p2")) != nullptr; }));
  EXPECT_FALSE(file->has_ended());
  child.kill();
  EXPECT_TRUE(test::comes_true([&] { return file->has_ended(); }));
}

TEST_F(SharedSpaceTest, AnOrderlyEndIsNoticedAtOnceAlsoInTheSameProcess) {
  auto other = std::make_unique<SharedSpace>(config());
  other->host("p2", {});
  const auto file = space.find_process("p2");
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(file->has_ended());
  other.reset();
  EXPECT_TRUE(file->has_ended());
}

TEST_F(SharedSpaceTest, ClosingEndsWaitsHereAndAtItsOwnElements) {
  const test::Child child = home();
  const SharedSpace::Found box = found();
  space.host("p1", {{{"own", {FieldType::integer}, 3}}});
  const SharedSpace::Found own = space.find("p1", "own");
  std::thread here([&] { EXPECT_EQ(taken(*box.element).status, Status::closed); });
  std::thread there([&] { EXPECT_EQ(taken(*own.element).status, Status::closed); });
  space.close();
  here.join();
  there.join();
  EXPECT_EQ(space.find("p0", "box").status, Status::closed);
  EXPECT_THAT(space.find("p0", "box").why, HasSubstr("the session was closed"));
}

TEST_F(SharedSpaceTest, AProcessInAnotherPidNamespaceIsRefusedWithTheReason) {
  if (const auto why = test::why_no_namespaces({}); !why.empty()) GTEST_SKIP() << why;
  const test::ProcessElsewhere home({}, [this] {
    SharedSpace at_home(config());
    at_home.host("p0", box());
    while (true) ::pause();
    return 0;
  });
  SharedSpace::Found last;
  EXPECT_TRUE(test::comes_true([&] { return (last = space.find("p0", "box")).status == Status::refused; }));
  EXPECT_THAT(last.why, HasSubstr("in another PID namespace"));
  EXPECT_THAT(last.why, HasSubstr("place its process on a node of its own"));
}

}  // namespace
}  // namespace eventspace
