import type { IssueFacts } from "@/api/types";
import { count } from "@/lib/format";

/** Lists what contestants do not see of an issue; empty if they see all of it. */
export function leftOut(facts: IssueFacts): string[] {
  const omissions: [number, string][] = [
    [facts.hidden_comments, `${count(facts.hidden_comments, "hidden comment")} stripped`],
    [facts.hidden_characters, `${count(facts.hidden_characters, "invisible character")} stripped`],
    [
      facts.comments_left_out,
      `${count(facts.comments_left_out, "comment")} left out: from bots, from people who are not collaborators, or over the length limit`,
    ],
    [facts.was_cut ? 1 : 0, "the text was too long and was cut"],
  ];
  return omissions.filter(([total]) => total > 0).map(([, text]) => text);
}
