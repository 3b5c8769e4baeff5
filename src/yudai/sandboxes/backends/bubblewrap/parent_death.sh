# Reads "+ PID" and "- PID" lines; when they end, because their writer has, kills who is left.
trap '' HUP INT QUIT TERM
boxes=
while read -r sign box; do
  left=
  for other in $boxes; do
    [ "$other" = "$box" ] || left="$left $other"
  done
  boxes=$left
  [ "$sign" = - ] || boxes="$left $box"
done
[ -z "$boxes" ] || kill -9 $boxes
