#include "paths/bodies/element_layouts.h"
#include "paths/wire/envelopes.h"
#include "tests/paths/wire/layout_allocation_test.h"

namespace eventspace::test {

using Envelopes =
    testing::Types<wire::OpenRequest, wire::Opened, wire::CloseRequest, wire::OperateRequest, wire::Done,
                   wire::Cancel, wire::Push, wire::Credit, wire::Failure, wire::ServerReport>;
INSTANTIATE_TYPED_TEST_SUITE_P(Envelopes, LayoutTest, Envelopes);
INSTANTIATE_TYPED_TEST_SUITE_P(Envelopes, LayoutAllocationTest, Envelopes);

using Elements = testing::Types<wire::ElementReply, ElementState, wire::StatesRequest, wire::StatesReply>;
INSTANTIATE_TYPED_TEST_SUITE_P(Elements, LayoutTest, Elements);
INSTANTIATE_TYPED_TEST_SUITE_P(Elements, LayoutAllocationTest, Elements);

}  // namespace eventspace::test
