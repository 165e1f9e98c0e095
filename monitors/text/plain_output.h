#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace eventspace {

/// Escapes all output to a stream while it exists (escaped() of tuplespace/system/plain_text.h, but newlines
/// are kept): a name from a pathmap, a peer or a file cannot move the cursor or change the title of the
/// terminal. run_program() holds one for standard output and one for standard error, so commands need not
/// care. A command that puts an outside text into a line also escapes its newlines; Json and ResultTable do
/// so for all their values.
///
/// Each insertion into the stream reaches the stream's own buffer with one call. Threads may write at the
/// same time, as they may to std::cout.
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

/// Writes a control sequence of the program itself, such as to erase a line, even to a stream with a
/// PlainOutput.
void write_control(std::ostream& stream, std::string_view sequence);

/// Writes "eventspace: TEXT" to standard error as one line, whatever is in `text`, with one call.
void print_message(std::string_view text);

/// Writes "warning: TEXT" to standard error as one line, with one call. Thread-safe.
void print_warning(const std::string& text);

}  // namespace eventspace
