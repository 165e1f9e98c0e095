#pragma once

// Private to paths/: a View inside a message body.

#include "paths/msgpack_body.h"
#include "tuplespace/view.h"

namespace eventspace::msgpack_body {

void pack(Packer& packer, const View& view);
/// Throws BodyError.
View read_view(Entries entries);

}  // namespace eventspace::msgpack_body
