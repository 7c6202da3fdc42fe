// SPDX-License-Identifier: MIT
#include "tools/command.h"
#include "tools/options.h"
#include "compiler/hemc.h"

// `hem list`: what a glTF holds, for who writes a recipe.

int command_list(int argc, char** argv) {
    const char* file = NULL;
    int32_t file_count = 0;
    bool as_json = false;
    const option options[] = {{"--json", NULL, "print it as JSON", NULL, &as_json}};
    const option_table table = {"hem list FILE [--json]",
                                "Lists the meshes, materials, bones, paints, clips and extras of a .glb, .gltf or .vrm "
                                "file by the names that a recipe uses.",
                                options,
                                1,
                                &file,
                                1,
                                &file_count};
    int code = options_parse(&table, argc, argv);
    if (code < 0 && file_count == 0) {
        return command_fail(COMMAND_USAGE, "which file? usage: %s", table.usage);
    }
    return code >= 0 ? code : hemc_list_run(file, as_json);
}
