#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <eventspace/error.h>

namespace eventspace::exports {

/// An SQLite database for writing. Throws EnvironmentError with SQLite's reason on failure. Not thread-safe.
class SqliteFile {
 public:
  explicit SqliteFile(const std::filesystem::path& file) : name_(file.string()) {
    sqlite3* opened = nullptr;
    const int result =
        sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    database_.reset(opened);
    check(result);
  }
  void run(const std::string& sql) {
    check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
  }
  void check(int result) const {
    if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
    throw EnvironmentError("cannot write " + name_ + ": " +
                           (database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(result)));
  }
  [[nodiscard]] sqlite3* get() const noexcept { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
  };
  std::string name_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// A row to insert: values are bound from left to right, and insert() begins the next row.
class SqliteInsert {
 public:
  SqliteInsert(SqliteFile& file, const std::string& sql) : file_(&file) {
    sqlite3_stmt* made = nullptr;
    file.check(sqlite3_prepare_v2(file.get(), sql.c_str(), -1, &made, nullptr));
    statement_.reset(made);
  }
  SqliteInsert& null() {
    ++next_;
    return *this;
  }
  SqliteInsert& integer(std::int64_t value) {
    file_->check(sqlite3_bind_int64(statement_.get(), next_++, value));
    return *this;
  }
  SqliteInsert& integer(const std::optional<std::int64_t>& value) { return value ? integer(*value) : null(); }
  SqliteInsert& real(double value) {
    file_->check(sqlite3_bind_double(statement_.get(), next_++, value));
    return *this;
  }
  /// Copies the text.
  SqliteInsert& text(std::string_view value) {
    file_->check(sqlite3_bind_text64(statement_.get(), next_++, value.data(), value.size(), SQLITE_TRANSIENT,
                                     SQLITE_UTF8));
    return *this;
  }
  void insert() {
    file_->check(sqlite3_step(statement_.get()));
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
    next_ = 1;
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  SqliteFile* file_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_{1};
};

}  // namespace eventspace::exports
