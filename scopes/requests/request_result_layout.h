#pragma once

// The fields of a RequestResult in a view.

#include "paths/wire/fields.h"
#include "scopes/requests/request_result.h"
#include "scopes/requests/request_wrapper.h"

namespace eventspace::wire {

template <>
struct Layout<RequestResult>
    : Array<RequestResult, Constant<RequestResult, request_result_version>, Field<&RequestResult::server>,
            Field<&RequestResult::matches>, Field<&RequestResult::sums, List<Real, max_request_actions>>,
            Field<&RequestResult::troubles,
                  List<Text<RequestResult::longest_trouble>, RequestResult::max_troubles>>,
            Field<&RequestResult::more_troubles>> {};

}  // namespace eventspace::wire
