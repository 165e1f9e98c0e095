#pragma once

#include <string>

namespace eventspace::exports {

/// The tables of an export to SQLite, which begin a transaction: docs/recordings.md describes them.
std::string sqlite_tables();
/// The indices and views, and the end of the transaction. Created after all rows, which takes half the time.
std::string sqlite_views();
/// "insert into slice values (...)", with a place for each column: id, track, begin_ns, end_ns, error_ns,
/// in_flight, kind, name, and the fields of the vocabulary.
std::string sqlite_insert_slice();

}  // namespace eventspace::exports
