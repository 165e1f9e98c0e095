// The layouts in docs/wire-format.md are those of the code. `UPDATE_DOCS=1 docs_test
// --gtest_filter=WireFormatDoc.*` writes them into the page.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "collectors/switching/switch_layout.h"
#include "monitors/probing/groups/group_layout.h"
#include "monitors/probing/listing/listing_layout.h"
#include "paths/bodies/element_layouts.h"
#include "paths/wire/envelopes.h"
#include "scopes/metrics/distribution/parts_layout.h"
#include "scopes/metrics/distribution/token_layout.h"
#include "scopes/pulls/view_layout.h"
#include "scopes/recordings/recording_layout.h"
#include "scopes/requests/request_result_layout.h"
#include "scopes/streams/stream_options_layout.h"
#include "scopes/tree/scope_layout.h"
#include "tests/paths/wire/layout_text.h"

namespace eventspace::docs {
namespace {

const std::string wire_page = EVENTSPACE_SOURCE "/docs/wire-format.md";

struct Section {
  std::string heading;
  std::string layouts;
};

std::vector<Section> sections() {
  using test::layout_texts;
  return {
      {"Envelopes", layout_texts<wire::OpenRequest, wire::Opened, wire::CloseRequest, wire::OperateRequest,
                                 wire::Done, ClockRelation, wire::Cancel, wire::Push, wire::Credit,
                                 wire::Failure, wire::ServerReport>()},
      {"Elements", layout_texts<wire::ElementRequest, wire::ElementReply, wire::StatesRequest,
                                wire::StatesReply, ElementState>()},
      {"Switching",
       layout_texts<SwitchOrder, EventClasses, SwitchedProcess, CollectState, CollectState::Exception>()},
      {"Scopes", layout_texts<ScopeTree, ScopeNode, ProcessRange>()},
      {"Measured metrics", layout_texts<metrics::PartsDescription, metrics::PartsDescription::Measured,
                                        metrics::PartsDescription::Pattern>()},
      {"Pulls", layout_texts<PullWishes, View, ViewData, Aggregate, CollectivePart, Contribution,
                             CollectiveSum, ViewParcel, ViewAccount, Loss, Missing, ProcessReport,
                             ClockCalibration, ThreadReport, ProcessUsage, LevelTime, OwnName>()},
      {"Parcels",
       layout_texts<metrics::Tokens, metrics::Tokens::Object, metrics::Tokens::Count,
                    metrics::Tokens::InFlight, metrics::Tokens::Value, metrics::Datum, metrics::Step,
                    metrics::Tokens::Reached, metrics::Tokens::Collected, metrics::Tally::State,
                    metrics::ExactSum, metrics::Tokens::Passed, metrics::Tokens::GivenUp,
                    metrics::Tokens::Dropped, metrics::Tokens::LeftOut, RequestResult>()},
      {"Streams", layout_texts<streams::StreamOptions, streams::FilterUse>()},
      {"Groups of processes",
       layout_texts<GroupOrder, ProcessChoice, PlaceProbes, RecordCalls, SwitchProbes, SwitchRecording,
                    ListCallees, ReadVariables, FunctionPatterns, ProbeTask, GroupAnswer, FunctionSpread,
                    Spread, NumberSpread, VariableSpread, GroupMember, VariableReading,
                    GroupedRefusals::Processes>()},
      {"Listings of functions", layout_texts<ListingOrder, FunctionChoice, ModuleClass, ListedModules,
                                             ListedClass, ListedRows, ListedRow>()},
      {"Recordings", layout_texts<RecordedSession, RecordedEnd>()},
  };
}

std::string page_text() {
  std::ifstream in(wire_page);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The place of the first code block after a heading, without its fences.
std::pair<std::size_t, std::size_t> block_below(const std::string& text, const std::string& heading) {
  const std::size_t section = text.find("\n## " + heading + "\n");
  if (section == std::string::npos) return {0, 0};
  const std::size_t begin = text.find("```text\n", section);
  if (begin == std::string::npos) return {0, 0};
  return {begin + 8, text.find("```", begin + 8)};
}

TEST(WireFormatDoc, ThePageHasTheLayoutsOfTheCode) {
  std::string text = page_text();
  const bool updates = std::getenv("UPDATE_DOCS") != nullptr;
  for (const Section& section : sections()) {
    const auto [begin, end] = block_below(text, section.heading);
    ASSERT_GT(begin, 0U) << section.heading;
    if (updates)
      text.replace(begin, end - begin, section.layouts);
    else
      EXPECT_EQ(text.substr(begin, end - begin), section.layouts) << section.heading;
  }
  if (updates) std::ofstream(wire_page) << text;
}

}  // namespace
}  // namespace eventspace::docs
