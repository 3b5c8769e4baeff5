"""What a browser has to load before anything is shown stays small."""

import gzip
import re

from yudai.api.page import BUILT

MAX_ENTRY_BYTES = 180_000


def test_the_entry_script_is_small_enough():
    index = (BUILT / "index.html").read_text()
    names = re.findall(r'(?:src|href)="/([^"]+\.js)"', index)
    assert [name for name in names if name.startswith("assets/index-")]
    sizes = {name: len(gzip.compress((BUILT / name).read_bytes())) for name in names}
    assert sum(sizes.values()) <= MAX_ENTRY_BYTES, sizes
