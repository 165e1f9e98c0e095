#!/usr/bin/env bash
# parts_test.sh SOURCE_DIR
#
# The choices of parts in cmake/EventSpaceParts.cmake: which are built, and which messages name those left out.
set -euo pipefail
parts=$1/cmake/EventSpaceParts.cmake
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/part.cmake" <<END
include($parts)
eventspace_part(built PAGE "the page" "d3 (Debian: node-d3)" "\${found}")
message(STATUS "built: \${built}")
END

# expect CHOICE FOUND TEXT: the configuration with EVENTSPACE_PAGE=CHOICE says TEXT.
expect() {
  local said
  said=$(cmake -DEVENTSPACE_PAGE="$1" -Dfound="$2" -P "$work/part.cmake" 2>&1 | tr -s ' \n' ' ' || true)
  if [[ $said != *"$3"* ]]; then
    echo "EVENTSPACE_PAGE=$1, found: $2: expected '$3' in: $said"
    exit 1
  fi
}

expect AUTO /usr/share/d3.js "built: ON"
expect on /usr/share/d3.js "built: ON"
expect AUTO page-NOTFOUND "Without the page: it needs d3 (Debian: node-d3)"
expect AUTO page-NOTFOUND "built: OFF"
expect OFF /usr/share/d3.js "Without the page: EVENTSPACE_PAGE is OFF"
expect OFF /usr/share/d3.js "built: OFF"
expect ON page-NOTFOUND "EVENTSPACE_PAGE is ON, but the page cannot be built: it needs d3 (Debian: node-d3)"
expect never /usr/share/d3.js "EVENTSPACE_PAGE is 'never'; choose AUTO, ON or OFF"
