#pragma once

namespace eventspace {

/// Opens the descriptors of standard input, output and error that the caller has closed. Otherwise a file or
/// socket of the program could get their numbers, and results would be written into it. Reading and writing
/// fail as if the descriptors were still closed. Call before opening anything else.
void occupy_standard_descriptors();

}  // namespace eventspace
