# Writes down what the base is: its tracked files, and what the set-up left beside them.
set -eu
export GIT_DIR="$RECORD/git" GIT_WORK_TREE=.
# A set-up may change a file and leave its size and time as they were.
git read-tree HEAD
git add -u .
if ! git diff-index --cached --quiet HEAD; then
  git commit -q --amend --no-verify --no-gpg-sign -m Base
  git repack -adq
  rm -rf .git
  cp -R "$GIT_DIR" .git
fi
git ls-tree -r -z HEAD >"$RECORD/tracked"
git ls-files -o -z >"$RECORD/leftovers"
