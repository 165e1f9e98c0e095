#include "pathmaps/reading/include.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>

#include "pathmaps/reading/join.h"
#include "pathmaps/reading/mapping.h"
#include "paths/parameters/sizes.h"
#include "tuplespace/system/file_beginning.h"

namespace eventspace::reading {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text = beginning_of(stream, FileReader::max_file_bytes);
  return stream.is_open() && !stream.bad() ? std::optional(std::move(text)) : std::nullopt;
}

fs::path identity(const fs::path& file) {
  std::error_code ignored;
  auto canonical = fs::weakly_canonical(file, ignored);
  return canonical.empty() ? file : canonical;
}

}  // namespace

const Value* FileReader::read(const fs::path& file) {
  const auto number = faults_.add_file(file.string());
  const Place at{number, 0, 0};
  if (!admit(file, at)) return nullptr;
  const auto text = contents(file);
  if (!text) return fail(at, fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  open_.push_back(identity(file));
  return whole(parse(*text, number, file.parent_path()));
}

const Value* FileReader::read_text(std::string_view yaml, const std::string& name) {
  const auto number = faults_.add_file(name);
  if (!fits(yaml.size(), {number, 0, 0})) return nullptr;
  return whole(parse(yaml, number, {}));
}

const Value* FileReader::read_fragment(const fs::path& file, const Place& included_at) {
  const auto name = identity(file);
  if (std::ranges::find(open_, name) != open_.end())
    return fail(included_at,
                fmt::format("cycle: '{}' is included by itself, {} files deep", file.string(), open_.size()));
  if (seen_.contains(name) || !admit(file, included_at)) return nullptr;
  const auto text = contents(file);
  if (!text)
    return fail(included_at,
                fmt::format("cannot read '{}': {}", file.string(), std::generic_category().message(errno)));
  open_.push_back(name);
  const auto* const root = parse(*text, faults_.add_file(file.string()), file.parent_path());
  open_.pop_back();
  return root;
}

const Value* FileReader::parse(std::string_view yaml, std::size_t file, const fs::path& folder) {
  const auto* const root = document_.parse(yaml, file, faults_);
  complete_ = complete_ && root != nullptr;
  if (root == nullptr) return nullptr;
  if (root->kind == Value::Kind::mapping) {
    check_known(*root, pathmap_shape, faults_);
    return join_includes(*root, folder);
  }
  const auto at = root->kind == Value::Kind::null ? Place{file, 1, 1} : root->place;
  return fail(at, fmt::format("found {}; expected a mapping that begins with 'pathmap: 1'", describe(*root)));
}

const Value* FileReader::fail(const Place& at, std::string text) {
  faults_.add(at, std::move(text));
  complete_ = false;
  return nullptr;
}

const Value* FileReader::join_includes(const Value& root, const fs::path& folder) {
  const auto* const include = root.find("include");
  if (include == nullptr) return &root;
  if (!follows_) return fail(include->place, "this pathmap may not include files");
  const Value* joined = nullptr;
  for (const auto& word : read_words(*include, "include", faults_)) {
    const auto* const fragment = read_fragment(folder / word.text, word.place);
    if (fragment == nullptr) continue;
    joined = joined == nullptr ? fragment : &join_neighbours(*joined, *fragment, document_, faults_);
  }
  return joined == nullptr ? &root : &join(*joined, root, document_, faults_);
}

bool FileReader::admit(const fs::path& file, const Place& at) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (!fs::exists(status)) {
    fail(at, fmt::format("no such file: '{}'", file.string()));
  } else if (!fs::is_regular_file(status)) {
    fail(at, fmt::format("'{}' is not a regular file", file.string()));
  } else if (open_.size() > max_nested_includes) {
    fail(at, fmt::format("too deep: more than {} nested includes", max_nested_includes));
  } else {
    seen_.insert(identity(file));
    const auto bytes = fs::file_size(file, error);
    return fits(error ? 0 : bytes, at);
  }
  return false;
}

bool FileReader::fits(std::uintmax_t bytes, const Place& at) {
  total_bytes_ += bytes;
  if (bytes <= max_file_bytes && total_bytes_ <= max_total_bytes) return true;
  fail(at, fmt::format("too large: {} bytes; a pathmap file has at most {}, all of them {}", bytes,
                       format_bytes(static_cast<std::int64_t>(max_file_bytes)),
                       format_bytes(static_cast<std::int64_t>(max_total_bytes))));
  return false;
}

}  // namespace eventspace::reading
