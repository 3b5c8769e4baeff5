import { useMutation, useQuery } from "@tanstack/react-query";
import { type FocusEvent, useEffect, useRef, useState } from "react";
import { newKey } from "@/api/client";
import type { ProblemError } from "@/api/problem";
import { useMe } from "@/api/queries/me";
import { modelsQuery } from "@/api/queries/models";
import { createSolve, type SolveBody } from "@/api/queries/newSolve";
import type { ModelView } from "@/api/types";
import type { Draft } from "@/features/new-solve/state/draft";
import { check, type Errors, errorsOf, lacking } from "@/features/new-solve/state/fieldErrors";
import { bodyOf } from "@/features/new-solve/state/request";
import { saveDraft } from "@/features/new-solve/state/savedDraft";
import { type Change, useDraft } from "@/features/new-solve/state/useDraft";
import { type ForecastState, useForecast } from "@/features/new-solve/state/useForecast";
import { useOpenSolve } from "@/lib/useDemo";

export interface NewSolve {
  draft: Draft;
  /** Changes the draft. Clears the server's error of `field`, the control that changed. */
  change: (field: string, by: Parameters<Change>[0]) => void;
  error: (field: string) => string | undefined;
  /** Fields that show an error. */
  marked: string[];
  moveTo: (field: string) => void;
  /** Error below the button: it belongs to no field, or to one that is not marked. */
  general: string | undefined;
  /** Errors that the page can find itself, shown or not. */
  wrong: Errors;
  /** Folders of the server's machine are accepted. */
  folders: boolean;
  models: readonly ModelView[];
  forecastState: ForecastState;
}

const NO_MODELS: readonly ModelView[] = [];

/** State of the form: the draft, its errors and sending it. */
export function useNewSolve() {
  const [draft, changeDraft] = useDraft();
  const models = useQuery(modelsQuery());
  const known = models.data ?? NO_MODELS;
  const folders = useMe().mode === "local";
  const wrong = check(draft, known, folders);
  const forecastState = useForecast(lacking(wrong) ? null : bodyOf(draft));
  const sending = useSending(draft);
  const marks = useMarks(sending.errors);
  const submit = () => {
    marks.markAll();
    if (!Object.keys(wrong).length) sending.send(bodyOf(draft), { onError: marks.moveToFirst });
    else marks.moveToFirst();
  };
  const forecastErrors =
    forecastState.error && !forecastState.error.isPassing ? errorsOf(forecastState.error) : {};
  const serverErrors: Errors = { ...forecastErrors, ...sending.errors };
  const hasHiddenError = Object.keys(forecastErrors).some(
    (field) => !field || !marks.isMarked(field),
  );
  const newSolve: NewSolve = {
    draft,
    change: (field, by) => {
      sending.clearError(field);
      changeDraft(by);
    },
    error: (field) => (marks.isMarked(field) ? (wrong[field] ?? serverErrors[field]) : undefined),
    marked: Object.keys({ ...wrong, ...serverErrors }).filter(
      (field) => field && marks.isMarked(field),
    ),
    moveTo: marks.moveTo,
    general: sending.errors[""] ?? (hasHiddenError ? forecastState.error?.message : undefined),
    wrong,
    folders,
    models: known,
    forecastState,
  };
  return { newSolve, modelsRequest: models, marks, submit, isSending: sending.isSending };
}

/** Fields that show their errors: those that lost focus once, or all after an attempt to start. */
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
    markAll: () => setTries(tries + 1),
    moveTo: (field: string) => {
      const name = CSS.escape(field);
      show(form.current?.querySelector(`[data-field="${name}"], [name="${name}"]`));
    },
    moveToFirst: () => setMoves((before) => before + 1),
    isMarked: (field: string) => tries > 0 || touched.has(field) || field in refused,
    onBlur: (event: FocusEvent<HTMLFormElement>) => {
      // The submit button marks every field after its release: an error now would move the button.
      if ((event.relatedTarget as HTMLButtonElement | null)?.type === "submit") return;
      const { name } = event.target as Element & { name?: string };
      if (name) touch(name);
    },
  };
}

/** Focuses a control and scrolls it to the centre, because the header covers the top. */
function show(control: Element | null | undefined): void {
  if (!(control instanceof HTMLElement)) return;
  control.focus({ preventScroll: true });
  control.scrollIntoView?.({ block: "center" });
}

/** Sends the form. Equal content has the same idempotency key, however often it is sent. */
function useSending(draft: Draft) {
  const [errors, setErrors] = useState<Errors>({});
  const last = useRef({ text: "", key: "" });
  const openSolve = useOpenSolve();
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
      openSolve(solve);
    },
  });
  const clearError = (field: string) => {
    if (!(field in errors) && !("" in errors)) return;
    const { [field]: _, "": __, ...rest } = errors;
    setErrors(rest);
  };
  // Busy until the solve page opens: a second press would start a second solve.
  return {
    errors,
    clearError,
    send: mutation.mutate,
    isSending: mutation.isPending || mutation.isSuccess,
  };
}
