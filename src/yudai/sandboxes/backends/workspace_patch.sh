# Prints the patch against the base: "$@" are removed paths, added and changed ones come on standard input.
set -eu
rm -rf "$SCRATCH"
export GIT_INDEX_FILE="$SCRATCH/index" GIT_OBJECT_DIRECTORY="$SCRATCH/objects"
export GIT_ALTERNATE_OBJECT_DIRECTORIES="$GIT_DIR/objects"
mkdir "$SCRATCH" "$GIT_OBJECT_DIRECTORY"
# Without what the index knows of sizes and times: an edit may leave both as they were.
git read-tree HEAD
{
  if [ $# -gt 0 ]; then
    printf '%s\0' "$@" | git update-index --force-remove -z --stdin
  fi
  git update-index --add --replace -z --stdin
} >"$SCRATCH/said" 2>&1 || echo 'git failed' >>"$SCRATCH/said"
# A path that git ignores would be missing from the patch without a word.
[ ! -s "$SCRATCH/said" ] || { cat "$SCRATCH/said"; exit 1; }
exec git diff-index --cached --patch --binary --full-index --no-renames --no-ext-diff \
  --no-textconv --no-color --unified=3 --src-prefix=a/ --dst-prefix=b/ HEAD 2>/dev/null
