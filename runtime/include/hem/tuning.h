// SPDX-License-Identifier: MIT
#ifndef HEM_TUNING_H
#define HEM_TUNING_H

// What hem_instance_get_tuning writes and hem_instance_set_tuning takes: one hem_tuning per part, with units and ranges.
// It is the record of the file (hem_format.h), so that a tuning section can be handed in as it is.

#include "hem/hem.h"

#ifdef __has_include
#if __has_include("hem/formats/hem_format.h")
#include "hem/formats/hem_format.h" // installed
#else
#include "formats/hem_format.h"
#endif
#else
#include "hem/formats/hem_format.h"
#endif

#endif
