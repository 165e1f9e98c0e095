// Gives any bytes as names to a table: lines of a kind, a number and a text.

#include <sstream>

#include "scopes/tree/name_table.h"
#include "tests/fuzz/fuzz.h"
#include "tuplespace/system/plain_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eventspace;
  NameTable table;
  std::istringstream lines(std::string(data, data + size));
  std::vector<OwnName> names;
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < 2) continue;
    names.push_back(
        {static_cast<OwnNameOf>(line[0] - '0'), static_cast<std::uint32_t>(line[1] % 8), line.substr(2)});
  }
  table.learn(names);
  table.learn(names);
  for (const OwnName& name : names) {
    const std::string_view found = table.find(name.of, name.number);
    if (!is_plain_text(found) || found.size() > 4 * NameTable::longest_name) std::abort();
  }
  return 0;
}

std::vector<std::string> eventspace::fuzz::seeds() {
  return {"11solve\n21steps, residual\n11other\n", "31thread\n31thread two\n41path\n51p0\n",
          "11\x1b[2J\n12\xff\xfe\n"};
}
