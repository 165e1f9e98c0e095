#include "tuplespace/shared/element_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/tuplespace/shared/shared_element_talk.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

ElementFile::Config small_file(const std::filesystem::path& directory) {
  return {{"wind", "n1", "p0", 0xfeed},
          {{{"box", {FieldType::integer, FieldType::text}, 3, WhenFull::wait, 50}, 100},
           {{"progress", {FieldType::real}, 7, WhenFull::discard}, 4096}},
          directory};
}

class ElementFileTest : public testing::Test {
 protected:
  test::TemporaryDirectory directory;
};

TEST_F(ElementFileTest, IsReadAsItWasWritten) {
  const ElementFile file(small_file(directory.path()));
  ElementFileView view(find_element_files("wind", "n1", directory.path()).at(0));
  EXPECT_EQ(view.identity().session, "wind");
  EXPECT_EQ(view.identity().node, "n1");
  EXPECT_EQ(view.identity().process, "p0");
  EXPECT_EQ(view.identity().fingerprint, 0xfeedu);
  EXPECT_EQ(view.pid(), ::getpid());
  EXPECT_TRUE(is_alive(view.pid(), view.process_start_ticks()));
  ASSERT_EQ(view.elements().size(), 2u);
  const ElementConfig& box = view.find("box")->config();
  EXPECT_EQ(box.signature, (Signature{FieldType::integer, FieldType::text}));
  EXPECT_EQ(box.threshold, 3u);
  EXPECT_EQ(box.when_full, WhenFull::wait);
  EXPECT_EQ(box.max_tuple_bytes, 50u);
  EXPECT_EQ(view.find("box")->room(), 100u);
  EXPECT_EQ(view.find("progress")->config().when_full, WhenFull::discard);
  EXPECT_EQ(view.find("nothing"), nullptr);
}

TEST_F(ElementFileTest, IsForThisUserOnlyAndGoesWithItsProcess) {
  {
    ElementFile file(small_file(directory.path()));
    struct stat status {};
    ASSERT_EQ(::stat(file.view().path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_EQ(static_cast<std::size_t>(status.st_size), file.view().bytes());
  }
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(ElementFileTest, SegmentsAndElementFilesAreDistinguished) {
  const Segment segment(test::small_segment(directory.path()));
  ElementFile file(small_file(directory.path()));
  EXPECT_THAT(find_segments("wind", "n1", directory.path()), ElementsAre(segment.path()));
  EXPECT_THAT(find_element_files("wind", "n1", directory.path()), ElementsAre(file.view().path()));
  EXPECT_THAT(find_element_files("wind", "n2", directory.path()), IsEmpty());
}

TEST_F(ElementFileTest, AForkedChildEndsNothing) {
  auto file = std::make_unique<ElementFile>(small_file(directory.path()));
  test::Child child([&file] { file.reset(); });
  EXPECT_TRUE(child.ends_well());
  EXPECT_EQ(test::perform(*file->view().find("box"), test::write_of(Tuple::of({std::int64_t{1}, "x"}))),
            "#1");
}

TEST_F(ElementFileTest, ASecondFileOfItsNameIsRefusedAndTheFirstStays) {
  ElementFile first(small_file(directory.path()));
  EXPECT_THAT([this] { const ElementFile second(small_file(directory.path())); },
              ThrowsMessage<EnvironmentError>(HasSubstr("the element file " + first.view().path().string() +
                                                        " is in use: this process")));
  EXPECT_NO_THROW(ElementFileView{first.view().path()});
  EXPECT_TRUE(first.view().find("box")->is_open());
}

TEST_F(ElementFileTest, ANewerFileOfItsNameOutlivesIt) {
  auto first = std::make_unique<ElementFile>(small_file(directory.path()));
  std::filesystem::remove(first->view().path());
  ElementFile second(small_file(directory.path()));
  ASSERT_EQ(first->view().path(), second.view().path());
  first.reset();
  EXPECT_NO_THROW(ElementFileView{second.view().path()});
}

TEST_F(ElementFileTest, WhatCannotBeIsRefusedAndLeavesNothing) {
  const auto refused = [this](void (*change)(ElementFile::Config&)) {
    return [this, change] {
      ElementFile::Config config = small_file(directory.path());
      change(config);
      const ElementFile file(config);
    };
  };
  using Config = ElementFile::Config;
  EXPECT_THAT(
      refused([](Config& c) { c.elements[0].room = 63; }),
      ThrowsMessage<ConfigurationError>(HasSubstr("'box': room for 63 bytes; allowed: 64 to 1073741824")));
  EXPECT_THAT(refused([](Config& c) { c.elements[0].config.threshold = 0; }),
              ThrowsMessage<ConfigurationError>(HasSubstr("threshold 0")));
  EXPECT_THAT(refused([](Config& c) { c.elements[0].config.threshold = 1u << 25; }),
              ThrowsMessage<ConfigurationError>(HasSubstr("must be 16777216 or less")));
  EXPECT_THAT(refused([](Config& c) { c.elements[1].config.name = "box"; }),
              ThrowsMessage<ConfigurationError>(HasSubstr("'box' exists already")));
  EXPECT_THAT(refused([](Config& c) { c.elements[1].config.name = std::string(144, 'x'); }),
              ThrowsMessage<ConfigurationError>(HasSubstr("at most 143 are allowed")));
  EXPECT_THAT(refused([](Config& c) { c.identity.node = std::string(64, 'n'); }),
              ThrowsMessage<ConfigurationError>(HasSubstr("at most 63 are allowed")));
  EXPECT_THAT(refused([](Config& c) { c.directory = "/nowhere"; }),
              ThrowsMessage<EnvironmentError>(HasSubstr("cannot create the element file /nowhere/")));
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(ElementFileTest, KilledWhileItMakesItsFileAProcessLeavesAWholeOneOrNone) {
  for (int round = 0; round < 50; ++round) {
    test::Child child([this] {
      while (true) const ElementFile file(small_file(directory.path()));
    });
    std::this_thread::sleep_for(std::chrono::microseconds(round * 40));  // a random instant for the kill
    child.kill();
    for (const auto& path : find_element_files("wind", "n1", directory.path())) {
      EXPECT_NO_THROW(ElementFileView{path});
      std::filesystem::remove(path);
    }
  }
}

}  // namespace
}  // namespace eventspace
