#include "monitors/collectives/command/summary_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/monitors/mpi/job_view.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::JobView;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using top::Charset;

class SummaryPageTest : public testing::Test {
 protected:
  /// Operations of a communicator at this many call sites; rank 1 is last by one second.
  void operations(std::uint32_t sites) {
    for (std::uint32_t number = 1; number <= sites; ++number) {
      for (std::uint32_t rank = 0; rank < 2; ++rank) {
        job.names.sites[site_in_scope(JobView::thread(rank), number)] = fmt::format("app+0x{}", number);
        MpiCallRecord call = JobView::collective("MPI_Barrier", number);
        call.site = static_cast<std::uint16_t>(number);
        job.add(rank, call, number * 2s + rank * 1s, number * 2s + 1s + 1us);
      }
    }
    job.at(sites * 2s + 2s);
    watch.observe(job.view, {});
  }
  std::string shown(top::Size size) {
    page.take(SummaryReport(watch, &watch, {}), 3s);
    return page.draw(size).text();
  }

  JobView job{2};
  MpiCollectives watch{job.names, {}, {}};
  SummaryPage page{"collectives job", Charset::ascii};
};

TEST_F(SummaryPageTest, BeforeTheFirstOperationSaysSo) {
  EXPECT_THAT(shown({10, 80}),
              AllOf(HasSubstr("collectives job  3.0s"), HasSubstr("no collective operation has ended"),
                    HasSubstr("no operation yet"), HasSubstr("q quit")));
}

TEST_F(SummaryPageTest, ShowsTheAnswerTheTableAndHowSureItIs) {
  operations(3);
  const std::string text = shown({14, 130});
  EXPECT_THAT(text,
              HasSubstr("rank 1 came last in 3 of 3 operations and cost the others 3.0s, 25% of the run "
                        "time of all 2 ranks\n"));
  EXPECT_THAT(text, HasSubstr("communicator operation   call site"));
  EXPECT_THAT(text, HasSubstr("MPI_Barrier app+0x2"));
  EXPECT_LT(text.find("rank 1 (1)"), text.find("certain: all records")) << text;
}

TEST_F(SummaryPageTest, OnANarrowTerminalWrapsLinesAndLeavesColumnsOut) {
  operations(1);
  const std::string text = shown({14, 60});
  EXPECT_THAT(text, AllOf(HasSubstr("rank 1 came last in 1 of 1 operation and cost the others\n"),
                          HasSubstr("of the run time of all 2 ranks\n"), HasSubstr("rank 1 (1)"),
                          Not(HasSubstr("MPI_Barrier"))));
}

TEST_F(SummaryPageTest, AWordThatIsWiderThanTheTerminalIsCutButNotTorn) {
  operations(1);
  page.take(SummaryReport(watch, &watch, {}, std::string(36, 'x') + " y"), 3s);
  EXPECT_THAT(page.draw({14, 34}).text(), HasSubstr("\n  " + std::string(31, 'x') + "~\n  y\n"));
}

TEST_F(SummaryPageTest, ScrollsRowsThatDoNotFit) {
  operations(20);
  EXPECT_THAT(shown({10, 130}), HasSubstr("1-5 of 20"));
  page.press({top::KeyName::end});
  EXPECT_THAT(shown({10, 130}), HasSubstr("16-20 of 20"));
  page.press({top::KeyName::character, "q"});
  EXPECT_TRUE(page.is_over());
}

}  // namespace
}  // namespace eventspace
