import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FocusEvent, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { newKey } from "@/api/client";
import type { ProblemError } from "@/api/problem";
import { useMe } from "@/api/queries/me";
import { modelsQuery } from "@/api/queries/models";
import { createSolve, type SolveBody, startDemo } from "@/api/queries/newSolve";
import { solveKeys } from "@/api/queries/solves";
import type { ModelView, SolveSummary } from "@/api/types";
import type { Draft } from "@/features/new-solve/state/draft";
import { check, type Errors, errorsOf, lacking } from "@/features/new-solve/state/fieldErrors";
import { bodyOf } from "@/features/new-solve/state/request";
import { saveDraft } from "@/features/new-solve/state/savedDraft";
import { type Change, useDraft } from "@/features/new-solve/state/useDraft";
import { type Foreseen, useForecast } from "@/features/new-solve/state/useForecast";

export interface NewSolve {
  draft: Draft;
  /** `field` is the control that it came from: what the server had against it is taken back. */
  change: (field: string, by: Parameters<Change>[0]) => void;
  error: (field: string) => string | undefined;
  /** Fields that show an error. */
  due: string[];
  moveTo: (field: string) => void;
  /** What stands above the button: it is of no field, or of one that nobody has been at. */
  general: string | undefined;
  /** What is wrong as far as the page can see, shown already or not. */
  wrong: Errors;
  /** Folders of the server's machine may be named. */
  folders: boolean;
  models: readonly ModelView[];
  foreseen: Foreseen;
}

const NO_MODELS: readonly ModelView[] = [];

/** The form: its content, what is wrong with which field, and sending it. */
export function useNewSolve() {
  const [draft, changeDraft] = useDraft();
  const models = useQuery(modelsQuery());
  const known = models.data ?? NO_MODELS;
  const folders = useMe().mode === "local";
  const wrong = check(draft, known, folders);
  const foreseen = useForecast(lacking(wrong) ? null : bodyOf(draft));
  const sending = useSending(draft);
  const marks = useMarks(sending.errors);
  const submit = () => {
    marks.try();
    if (!Object.keys(wrong).length) sending.send(bodyOf(draft), { onError: marks.moveToFirst });
    else marks.moveToFirst();
  };
  const foretold = foreseen.error && !foreseen.error.isPassing ? errorsOf(foreseen.error) : {};
  const told: Errors = { ...foretold, ...sending.errors };
  const isUnseen = Object.keys(foretold).some((field) => !field || !marks.isDue(field));
  const newSolve: NewSolve = {
    draft,
    change: (field, by) => {
      sending.forgive(field);
      changeDraft(by);
    },
    error: (field) => (marks.isDue(field) ? (wrong[field] ?? told[field]) : undefined),
    due: Object.keys({ ...wrong, ...told }).filter((field) => field && marks.isDue(field)),
    moveTo: marks.moveTo,
    general: sending.errors[""] ?? (isUnseen ? foreseen.error?.message : undefined),
    wrong,
    folders,
    models: known,
    foreseen,
  };
  return { newSolve, modelsAsked: models, marks, submit, isSending: sending.isSending };
}

/** Which fields may show what is wrong with them: left once, or all after an attempt to start. */
function useMarks(refused: Errors) {
  const form = useRef<HTMLFormElement>(null);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [tries, setTries] = useState(0);
  const [moves, setMoves] = useState(0);
  useEffect(() => {
    if (!moves) return;
    show(form.current?.querySelector('[aria-invalid="true"], [data-invalid]'));
  }, [moves]);
  const touch = (field: string) => {
    if (field && !touched.has(field)) setTouched(new Set([...touched, field]));
  };
  return {
    form,
    try: () => setTries(tries + 1),
    moveTo: (field: string) => {
      const name = CSS.escape(field);
      show(form.current?.querySelector(`[data-field="${name}"], [name="${name}"]`));
    },
    moveToFirst: () => setMoves((before) => before + 1),
    isDue: (field: string) => tries > 0 || touched.has(field) || field in refused,
    left: (event: FocusEvent<HTMLFormElement>) => {
      // Pressing the button marks every field, once it is released: an error now would move it.
      if ((event.relatedTarget as HTMLButtonElement | null)?.type === "submit") return;
      const { name } = event.target as Element & { name?: string };
      if (name) touch(name);
    },
  };
}

/** To the middle of the window: the head of the page covers what is at its top. */
function show(control: Element | null | undefined): void {
  if (!(control instanceof HTMLElement)) return;
  control.focus({ preventScroll: true });
  control.scrollIntoView?.({ block: "center" });
}

/** The same content has the same key, however often it is sent. */
function useSending(draft: Draft) {
  const [errors, setErrors] = useState<Errors>({});
  const last = useRef({ text: "", key: "" });
  const arrive = useArrival();
  const mutation = useMutation({
    mutationFn: (body: SolveBody) => {
      const text = JSON.stringify(body);
      if (last.current.text !== text) last.current = { text, key: newKey() };
      return createSolve(body, last.current.key);
    },
    onMutate: () => setErrors({}),
    onError: (error) => setErrors(errorsOf(error as ProblemError)),
    onSuccess: (solve) => {
      saveDraft({ ...draft, sent: true });
      arrive(solve);
    },
  });
  const forgive = (field: string) => {
    if (!(field in errors) && !("" in errors)) return;
    const { [field]: _, "": __, ...rest } = errors;
    setErrors(rest);
  };
  // Until the race is there the button stays as it is: a second press would be a second solve.
  return {
    errors,
    forgive,
    send: mutation.mutate,
    isSending: mutation.isPending || mutation.isSuccess,
  };
}

function useArrival(): (solve: SolveSummary) => void {
  const go = useNavigate();
  const client = useQueryClient();
  return (solve) => {
    void client.invalidateQueries({ queryKey: solveKeys.all });
    void go(`/solves/${encodeURIComponent(solve.id)}`);
  };
}

/** The bundled arena, for who has no key or no issue at hand. */
export function useDemo() {
  const arrive = useArrival();
  const key = useRef("");
  return useMutation({
    mutationFn: () => {
      key.current ||= newKey();
      return startDemo(key.current);
    },
    onSuccess: arrive,
  });
}
