# Sourced by the Makefile: puts the command of a usable Python into FOUND, or says in one sentence what is missing.
# A usable Python is 3.11 to 3.14 and can make virtual environments.

usable='import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'
FOUND=
for candidate in "${PYTHON_COMMAND:-python3}" python3.14 python3.13 python3.12 python3.11 python; do
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c "$usable" >/dev/null 2>&1; then
        FOUND=$candidate
        break
    fi
done
if [ -z "$FOUND" ]; then
    echo "This needs Python 3.11, 3.12, 3.13 or 3.14 with its venv module, and found none (on Debian and Ubuntu:" \
        "apt install python3 python3-venv). Name one with PYTHON_COMMAND=/path/to/python3." >&2
    exit 1
fi
