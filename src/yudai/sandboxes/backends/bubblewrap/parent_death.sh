# Reads "+ PID" and "- PID" lines; when they end, because their writer has, kills who is left.
trap '' HUP INT QUIT TERM
sandboxes=
while read -r sign sandbox; do
  left=
  for other in $sandboxes; do
    [ "$other" = "$sandbox" ] || left="$left $other"
  done
  sandboxes=$left
  [ "$sign" = - ] || sandboxes="$left $sandbox"
done
[ -z "$sandboxes" ] || kill -9 $sandboxes
