import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { ProblemError } from "@/api/problem";
import { chatKeys, startConversation } from "@/api/queries/conversations";
import { Button } from "@/ui/Button";
import { CONTROL, Field } from "@/ui/Field";
import { Failure } from "@/ui/states";

/** A form for a new conversation: its title and the repository of its solves. */
export function NewConversation() {
  const go = useNavigate();
  const client = useQueryClient();
  const [title, setTitle] = useState("");
  const [repo, setRepo] = useState("");
  const start = useMutation({
    mutationFn: () => startConversation({ title, ...place(repo) }),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: chatKeys.all });
      go(`/conversations/${made.id}`);
    },
  });
  const fields = start.error instanceof ProblemError ? start.error.fields : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <form
      onSubmit={submit}
      className="card grid gap-3 p-4 md:grid-cols-[1fr_1fr_auto] md:items-start"
    >
      <Field label="Title" error={fields.title}>
        {(wired) => (
          <input
            {...wired}
            maxLength={200}
            value={title}
            onChange={(e) => setTitle(e.target.value)}
            className={CONTROL}
          />
        )}
      </Field>
      <Field
        label="Folder or repository"
        hint="the repository for solves in this conversation"
        error={fields.repo_path ?? fields.repo_url}
      >
        {(wired) => (
          <input
            {...wired}
            value={repo}
            onChange={(e) => setRepo(e.target.value)}
            placeholder="/home/ada/project"
            className={CONTROL}
          />
        )}
      </Field>
      <Button type="submit" look="primary" busy={start.isPending} className="md:mt-6">
        Start
      </Button>
      {start.isError && Object.keys(fields).length === 0 && <Failure error={start.error} />}
    </form>
  );
}

export function place(text: string): { repo_path?: string; repo_url?: string } {
  const repo = text.trim();
  if (!repo) return {};
  return /^(https?|ssh|file):\/\//i.test(repo) ? { repo_url: repo } : { repo_path: repo };
}
