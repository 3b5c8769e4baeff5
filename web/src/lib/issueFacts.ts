import type { IssueFacts } from "@/api/types";
import { count } from "@/lib/format";

/** What contestants do not get to read, honestly; nothing to say: an empty list. */
export function leftOut(facts: IssueFacts): string[] {
  const told: [number, string][] = [
    [facts.hidden_comments, `${count(facts.hidden_comments, "hidden comment")} stripped`],
    [facts.hidden_characters, `${count(facts.hidden_characters, "invisible character")} stripped`],
    [
      facts.comments_left_out,
      `${count(facts.comments_left_out, "comment")} left out: by bots, by people who are no collaborators, or too long together`,
    ],
    [facts.was_cut ? 1 : 0, "the text was too long and is cut"],
  ];
  return told.filter(([many]) => many > 0).map(([, words]) => words);
}
