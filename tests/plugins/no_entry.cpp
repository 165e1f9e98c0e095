#include <cstdlib>
#include <fstream>

// A shared object without the entry point of a scope wrapper. When it is loaded, it writes the file that
// EVENTSPACE_TESTS_MARK names.

namespace {

__attribute__((constructor)) void leave_a_mark() {
  if (const char* const file = std::getenv("EVENTSPACE_TESTS_MARK")) std::ofstream(file) << "loaded";
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int eventspace_tests_other_function() { return 1; }
