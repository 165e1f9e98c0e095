#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eventspace {

struct Plan;  // what a pathmap without faults describes; opaque

/// The names of the threads of the application, of all processes, such as of Session::plan().
std::vector<std::string> thread_names(const Plan& plan);

/// An error in a pathmap, with its place. Faults are values, so that a user sees all errors of a file
/// at once.
struct Fault {
  std::string file;  ///< as given, or found through `include:`
  int line{0};       ///< from 1; 0 if the fault concerns the whole file
  int column{0};     ///< from 1; 0 if line is 0
  std::string text;  ///< the value that was found, and the values that are allowed
  friend bool operator==(const Fault&, const Fault&) = default;
};

/// Returns "FILE:LINE:COLUMN: error: TEXT", the form of compilers' messages, which editors understand; or
/// "FILE: error: TEXT" for a fault of the whole file. It is one line without control characters, which are
/// escaped, such as "\u001b".
std::string to_string(const Fault& fault);

/// A pathmap that was read and checked (docs/pathmap.md), or its faults.
///
///     const Pathmap pathmap = Pathmap::load("app.yaml");
///     for (const Fault& fault : pathmap.faults()) std::cerr << to_string(fault) << '\n';
///     if (pathmap.is_valid()) session.emplace(Session::join(pathmap.plan(), "p0", {}));
///
/// Reading loads the shared objects that the pathmap names under `wrappers:`, which run code of their own. A
/// shared object that another user could change is a fault and is not loaded. The text is not trusted: a file
/// may have at most 1 MiB, 64 levels of nesting and 200,000 values.
///
/// An immutable value: copies share the plan. Thread-safe.
class Pathmap {
 public:
  /// Reads `file` and the files that it includes. A file that cannot be read is a fault. Blocks.
  static Pathmap load(const std::filesystem::path& file);
  /// Reads a text; faults give `name` as the file. Includes are relative to the working directory.
  static Pathmap parse(std::string_view yaml, const std::string& name);

  [[nodiscard]] bool is_valid() const noexcept { return plan_ != nullptr; }
  /// At most 100 faults by file, line and column, and one more with the number of those left out. Empty if
  /// the pathmap is valid.
  [[nodiscard]] const std::vector<Fault>& faults() const noexcept { return faults_; }
  /// The plan, for Session::join. Throws ConfigurationError, with one line for each fault, if it is not
  /// valid.
  [[nodiscard]] const std::shared_ptr<const Plan>& plan() const;

  // Each of these functions throws as plan() does.
  [[nodiscard]] const std::string& name() const;  ///< of the application
  [[nodiscard]] std::vector<std::string> nodes() const;
  [[nodiscard]] std::vector<std::string> processes() const;
  /// Throws ConfigurationError, with near names, if there is no such process.
  [[nodiscard]] std::vector<std::string> threads_of(std::string_view process) const;
  [[nodiscard]] std::vector<std::string> scopes() const;

 private:
  Pathmap(std::shared_ptr<const Plan> plan, std::vector<Fault> faults) noexcept
      : plan_(std::move(plan)), faults_(std::move(faults)) {}
  std::shared_ptr<const Plan> plan_;
  std::vector<Fault> faults_;
};

}  // namespace eventspace
