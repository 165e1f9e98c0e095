#pragma once

#include "tests/paths/links/free_port.h"

namespace eventspace::bench {

using test::free_port;

}  // namespace eventspace::bench
