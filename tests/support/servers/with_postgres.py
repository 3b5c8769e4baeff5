"""Run a command with the URL of an empty PostgreSQL database as its last word.

`python tests/support/servers/with_postgres.py yudai bench recovery --database`
"""

import subprocess
import sys

from tests.support.servers import databases


def main(command: list[str]) -> int:
    [code] = [
        subprocess.run([*command, new(empty=True)], check=False).returncode
        for new in databases._new_on_server()
    ]
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
