// A shared object without the entry point of a scope wrapper.
extern "C" __attribute__((visibility("default"))) int eventspace_tests_other_function() { return 1; }
