#pragma once

// Private to monitors/.

namespace eventspace {

/// Opens the descriptors of standard input, output and error that the caller has closed, so that no file or
/// socket that the program opens gets their numbers: results would be written into it. Reading and writing
/// fail, as they would if the descriptors were still closed. To be called before anything else is opened.
void occupy_standard_descriptors();

}  // namespace eventspace
