#include "monitors/text/plain_output.h"

#include <iostream>
#include <mutex>
#include <streambuf>
#include <string>
#include <utility>

#include "tuplespace/system/plain_text.h"

namespace eventspace {

class PlainOutput::Buffer : public std::streambuf {
 public:
  explicit Buffer(std::streambuf* to) : to_(to) {}

  [[nodiscard]] std::streambuf* to() const noexcept { return to_; }

  // Escapes the beginning of an incomplete character.
  bool end() {
    const std::lock_guard lock(mutex_);
    return put(escaped(std::exchange(held_, {}), Newlines::kept));
  }

  bool write_raw(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    return put(bytes);
  }

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    return write({bytes, static_cast<std::size_t>(count)}) ? count : 0;
  }

  int_type overflow(int_type byte) override {
    if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
    const char character = traits_type::to_char_type(byte);
    return write({&character, 1}) ? byte : traits_type::eof();
  }

  int sync() override {
    const std::lock_guard lock(mutex_);
    return to_->pubsync();
  }

 private:
  // A character may come in several calls: its first bytes are held until the others arrive.
  bool write(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    std::string text = std::exchange(held_, {}).append(bytes);
    const std::size_t whole = text.size() - unfinished_tail(text);
    held_ = text.substr(whole);
    text.resize(whole);
    return put(escaped(text, Newlines::kept));
  }

  bool put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return to_->sputn(text.data(), size) == size;
  }

  std::streambuf* to_;
  std::mutex mutex_;
  std::string held_;
};

PlainOutput::PlainOutput(std::ostream& stream)
    : stream_(&stream), buffer_(std::make_unique<Buffer>(stream.rdbuf())) {
  const auto state = stream.rdstate();
  stream.rdbuf(buffer_.get());
  stream.setstate(state);  // rdbuf() has cleared it
}

PlainOutput::~PlainOutput() {
  buffer_->end();
  const auto state = stream_->rdstate();
  stream_->rdbuf(buffer_->to());
  try {
    stream_->setstate(state);
  } catch (const std::ios_base::failure&) {
    // The stream's state is set, and a caller with exceptions enabled has already received this one.
  }
}

void write_control(std::ostream& stream, std::string_view sequence) {
  if (auto* const plain = dynamic_cast<PlainOutput::Buffer*>(stream.rdbuf()))
    plain->write_raw(sequence);
  else
    stream << sequence;
}

void print_message(std::string_view text) { std::cerr << "eventspace: " + escaped(text) + '\n'; }

void print_warning(const std::string& text) { std::cerr << "warning: " + escaped(text) + "\n" << std::flush; }

}  // namespace eventspace
