# Runs as process 1 of a sandbox: reads "NUMBER STDIN" lines, runs the request, answers "NUMBER STATUS".
# $1 is the shell for commands, $2 and $3 are limits of file size and data in what `ulimit` counts.
# Requests and answers use descriptor 4, which commands never have.
set -e
# Descriptors 0, 1 and 3 are the entrances of the sandbox's control groups: a 0 takes this process in.
echo 0 >&0
echo 0 >&1
echo 0 >&3
ulimit -c 0
ulimit -f "$2"
ulimit -d "$3"
exec 4>&2 </dev/null >/dev/null 2>&1 3>&- 5>&-
set +e
# Process 1 only gets signals that it asked for: ask for none, and give commands the defaults back.
signals='HUP INT QUIT PIPE ALRM TERM USR1 USR2'
trap '' $signals
# What /etc/passwd says anyway: bash would ask for it by nscd's socket, before each command.
case $1 in */bash) shell=/bin/sh ;; *) shell= ;; esac
echo ready >&4
while read -r number stdin <&4; do
  (trap - $signals && ${shell:+export SHELL="$shell"} && exec "$1" /run/yudai/request <"$stdin" >/run/yudai/output 2>&1 4>&-)
  status=$?
  # Succeeds while anybody is left, zombies included; `jobs` reaps them without needing a process.
  while kill -9 -1; do jobs; done
  echo "$number $status" >&4
done
