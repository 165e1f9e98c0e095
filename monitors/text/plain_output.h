#pragma once

// Private to monitors/.

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace eventspace {

/// While it exists, all that is written to a stream is escaped (escaped() of
/// tuplespace/system/plain_text.h, with newlines kept): a name from a pathmap, a peer or a file cannot move
/// the cursor or change the title of the terminal that shows it. run_program() holds one for standard output
/// and one for standard error, so that no command has to think of it. A command that puts a text from outside
/// into a line also escapes its newlines; Json and ResultTable do so for all their values.
///
/// What is inserted into the stream with one call reaches the stream's own buffer with one call. Threads may
/// write at the same time, as they may to std::cout.
class PlainOutput {
 public:
  explicit PlainOutput(std::ostream& stream);
  ~PlainOutput();
  PlainOutput(const PlainOutput&) = delete;
  PlainOutput& operator=(const PlainOutput&) = delete;

 private:
  class Buffer;
  friend void write_control(std::ostream& stream, std::string_view sequence);

  std::ostream* stream_;
  std::unique_ptr<Buffer> buffer_;
};

/// Writes a control sequence of the program's own, such as one that erases a line, also to a stream with a
/// PlainOutput.
void write_control(std::ostream& stream, std::string_view sequence);

/// Writes "eventspace: TEXT" to standard error as one line, whatever is in `text`, with one call.
void print_message(std::string_view text);

/// Writes "warning: TEXT" to standard error as one line, with one call. Thread-safe.
void print_warning(const std::string& text);

}  // namespace eventspace
