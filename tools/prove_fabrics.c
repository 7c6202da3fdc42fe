// SPDX-License-Identifier: MIT
#include "tools/prove_fabrics.h"

void prove_fabrics(proof* p) {
    prove_fabrics_cloth(p);
    prove_fabrics_capes(p);
    prove_fabrics_hair(p);
    prove_fabrics_strands(p);
    prove_fabrics_scenes(p);
}
