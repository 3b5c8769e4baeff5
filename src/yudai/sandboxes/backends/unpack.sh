# Unpacks $SOURCE into the workspace and commits it: $RECORD/git is ours, .git the agents' copy of it.
set -eu
tar -xof "$SOURCE"
chmod -R u+rwX .
find . -name .git -prune -exec rm -rf {} +

export GIT_DIR="$RECORD/git"
git -c init.defaultBranch=main init -q --template=
git config core.bare false
git config core.autocrlf false
git config core.checkStat minimal
git config core.trustctime false
git config gc.auto 0
git config user.name Agent
git config user.email agent@yudai.invalid
# Contents are kept byte for byte, and no attribute of a tree may turn a text into an opaque blob.
mkdir -p "$GIT_DIR/info"
echo '* -text !eol !ident !filter !working-tree-encoding !diff !merge' >"$GIT_DIR/info/attributes"
# A set-up may fill it with more files than an agent's `git status` should list.
echo node_modules/ >"$GIT_DIR/info/exclude"

export GIT_WORK_TREE=.
git add -A -f .
git commit -q --allow-empty --no-verify --no-gpg-sign -m Base
git repack -adq
cp -R "$GIT_DIR" .git
