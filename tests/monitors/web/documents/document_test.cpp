#include "monitors/web/documents/document.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

// What pages are sent of a document.
namespace eventspace::web {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_in(const std::vector<SharedText>& events) {
  std::vector<std::string> names;
  for (const SharedText& event : events) {
    const auto line = event->substr(event->find("data: ") + 6);
    const auto data = nlohmann::json::parse(line);
    names.push_back(data.contains("name") ? data["name"].get<std::string>() : "gone");
  }
  return names;
}

class DocumentTest : public testing::Test {
 protected:
  std::shared_ptr<Document> document{std::make_shared<Document>([this] { ++changes; })};
  int changes{0};
};

TEST_F(DocumentTest, APageGetsWhatChangedSinceItLastTookSomething) {
  document->publish({{"a", 1}, {"b", 1}});
  const auto page = document->open({});
  EXPECT_THAT(names_in(page->take()), ElementsAre("a", "b"));
  EXPECT_THAT(page->take(), IsEmpty());
  document->publish({{"a", 1}, {"b", 2}});
  EXPECT_THAT(names_in(page->take()), ElementsAre("b"));
  EXPECT_EQ(changes, 2);
}

TEST_F(DocumentTest, ASlowPageGetsTheNewestStateOnly) {
  const auto page = document->open({});
  for (int i = 0; i < 1000; ++i) document->publish({{"a", i}});
  const auto events = page->take();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(*events[0], "event: part\ndata: {\"name\":\"a\",\"version\":1000,\"value\":999}\n\n");
}

TEST_F(DocumentTest, AllPagesShareOneText) {
  const auto one = document->open({});
  const auto two = document->open({});
  document->publish({{"a", 1}});
  EXPECT_EQ(one->take().at(0).get(), two->take().at(0).get());
}

TEST_F(DocumentTest, AFeedHasTheWantedPartsAndThoseBelowThem) {
  const auto page = document->open({"threads", "b/1"});
  document->publish(
      {{"a", 1}, {"b/0", 1}, {"b/1", 1}, {"threads/0", 1}, {"threads/1", 1}, {"threadsafe", 1}});
  EXPECT_THAT(names_in(page->take()), ElementsAre("b/1", "threads/0", "threads/1"));
  EXPECT_TRUE(document->wanted().has("threads/7"));
  EXPECT_FALSE(document->wanted().has("a"));
  EXPECT_THAT(document->wanted().numbers("b"), ElementsAre(1));
  EXPECT_EQ(document->pages(), 1u);
}

// "flows/N" and "calls_of/N" take long to make.
TEST_F(DocumentTest, AFeedOfAllPartsNamesNoNumberedOnes) {
  const auto all = document->open({});
  EXPECT_TRUE(document->wanted().has("profile"));
  EXPECT_THAT(document->wanted().numbers("flows"), IsEmpty());
  const auto other = document->open({"flows/2"});
  EXPECT_THAT(document->wanted().numbers("flows"), ElementsAre(2));
  document->publish({{"flows/2", 1}});
  EXPECT_THAT(names_in(all->take()), ElementsAre("flows/2")) << "made for the other page";
}

TEST_F(DocumentTest, PagesAreToldOnceThatTheSessionIsGone) {
  document->publish({{"a", 1}});
  const auto page = document->open({});
  document->end("all 4 threads have ended");
  document->end("again");
  EXPECT_THAT(names_in(page->take()), ElementsAre("a", "gone"));
  EXPECT_THAT(page->take(), IsEmpty());
  document->come_back();
  document->end("a later end");
  EXPECT_THAT(names_in(page->take()), ElementsAre("gone"));
}

TEST_F(DocumentTest, TextFromProgramsCannotEndAnEvent) {
  const auto page = document->open({});
  document->publish({{"a", "x\n\nevent: gone\ndata: {}\n\n\xff</script>"}});
  const std::string event = *page->take().at(0);
  EXPECT_EQ(std::count(event.begin(), event.end(), '\n'), 3);
  const auto parts = nlohmann::json::parse(document->text());
  EXPECT_EQ(parts["a"]["version"], 1);
}

}  // namespace
}  // namespace eventspace::web
