/** All keyboard shortcuts, for the help dialog. The pages bind them. */
export const KEYMAP: readonly { where: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    where: "Everywhere",
    keys: [
      ["Ctrl K", "search and commands"],
      ["?", "this help"],
      ["n", "new solve"],
      ["g r", "all solves"],
      ["g i", "repositories and their issues"],
      ["g m", "conversations"],
      ["g c", "cost"],
      ["g b", "sandboxes and prepared bases"],
      ["g s", "settings"],
      ["/", "search on this page"],
    ],
  },
  {
    where: "Lists",
    keys: [
      ["j k", "next, previous"],
      ["o Enter", "open"],
    ],
  },
  {
    where: "Solve",
    keys: [
      ["1 – 9", "open or close a lane"],
      ["j k", "next, previous lane"],
      ["o", "open it"],
      ["t c s", "axis: time, cost, steps"],
      ["x", "select for comparison"],
      ["v", "compare"],
      ["d", "the champion's diff"],
      [".", "stop a contestant"],
    ],
  },
  {
    where: "Trajectory",
    keys: [
      ["j k", "next, previous message"],
      ["h l", "previous, next contestant"],
      ["0 $", "first, last message"],
      ["e E", "expand one, all"],
      ["f", "follow the tail"],
      ["y", "copy a link"],
      ["r", "raw download"],
    ],
  },
  {
    where: "Compare",
    keys: [
      ["A B", "choose"],
      ["← →", "previous, next file"],
    ],
  },
];
