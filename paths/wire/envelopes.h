#pragma once

// The envelopes of wire.h, field by field.

#include "paths/wire/clock_relation_layout.h"
#include "paths/wire/fields.h"
#include "paths/wire/wire.h"

namespace eventspace::wire {

template <>
struct Layout<OpenRequest>
    : Array<OpenRequest, Field<&OpenRequest::kind>, Field<&OpenRequest::spec>,
            // each server on the route does work for it
            Field<&OpenRequest::route, List<Text<>, OpenRequest::max_hops>>, Field<&OpenRequest::held>> {};

template <>
struct Layout<Opened> : Array<Opened, Field<&Opened::target>> {};

template <>
struct Layout<CloseRequest> : Array<CloseRequest, Field<&CloseRequest::target>,
                                    Field<&CloseRequest::opened_by>, Field<&CloseRequest::why, ShownText>> {};

template <>
struct Layout<OperateRequest>
    : Array<OperateRequest, Field<&OperateRequest::target>,
            Field<&OperateRequest::verb, OneOf<Verb::write, Verb::exchange>>,
            Field<&OperateRequest::wait_us, Between<std::int64_t{-1}, greatest<std::int64_t>>>,
            Field<&OperateRequest::id>, Field<&OperateRequest::after>> {};

template <>
struct Layout<Done>
    : Array<Done, Field<&Done::status, OneOf<Status::ok, Status::refused>>, Field<&Done::reason, ShownText>,
            Field<&Done::parts>, Field<&Done::clocks, OptionalWordBlock>> {
  static void check(const Done& done) {
    if (done.status == Status::under_way) throw BodyError();  // a reply ends the operation
  }
};

template <>
struct Layout<Cancel> : Array<Cancel, Field<&Cancel::target>, Field<&Cancel::request>> {};

template <>
struct Layout<Push> : Array<Push, Field<&Push::target>> {};

template <>
struct Layout<Credit> : Array<Credit, Field<&Credit::target>, Field<&Credit::up_to>> {};

template <>
struct Layout<Failure> : Array<Failure, Field<&Failure::fault, OneOf<Fault::truncated, Fault::credit>>,
                               Field<&Failure::text, ShownText>> {};

// `session` is compared, and escaped when it is shown.
template <>
struct Layout<ServerReport>
    : Array<ServerReport, Field<&ServerReport::name>, Field<&ServerReport::session>,
            Field<&ServerReport::fingerprint>, Field<&ServerReport::pid>, Field<&ServerReport::requests>,
            Field<&ServerReport::open_targets>, Field<&ServerReport::connections>,
            Field<&ServerReport::handshakes_refused>, Field<&ServerReport::undeliverable>,
            Field<&ServerReport::refused>> {};

}  // namespace eventspace::wire
