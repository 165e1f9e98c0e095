#pragma once

#include "tests/paths/free_port.h"

namespace eventspace::bench {

using test::free_port;

}  // namespace eventspace::bench
