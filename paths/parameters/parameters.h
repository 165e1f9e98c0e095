#pragma once

#include <eventspace/extend.h>
