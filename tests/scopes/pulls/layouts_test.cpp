#include "collectors/switching/switch_layout.h"
#include "scopes/metrics/distribution/parts_layout.h"
#include "scopes/metrics/distribution/token_layout.h"
#include "scopes/pulls/view_layout.h"
#include "scopes/recordings/recording_layout.h"
#include "scopes/requests/request_result_layout.h"
#include "scopes/tree/scope_layout.h"
#include "tests/paths/wire/layout_allocation_test.h"

namespace eventspace::test {

using Views = testing::Types<View, PullWishes, ProcessReport, Aggregate, CollectivePart, CollectiveSum,
                             Missing, LevelTime, OwnName, Loss, ViewParcel>;
INSTANTIATE_TYPED_TEST_SUITE_P(Views, LayoutTest, Views);
INSTANTIATE_TYPED_TEST_SUITE_P(Views, LayoutAllocationTest, Views);

using Others = testing::Types<ScopeTree, metrics::PartsDescription, metrics::Tokens, RequestResult,
                              RecordedSession, RecordedEnd, SwitchOrder, SwitchedProcess, CollectState>;
INSTANTIATE_TYPED_TEST_SUITE_P(Others, LayoutTest, Others);
INSTANTIATE_TYPED_TEST_SUITE_P(Others, LayoutAllocationTest, Others);

}  // namespace eventspace::test
