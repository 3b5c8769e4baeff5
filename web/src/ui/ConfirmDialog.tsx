import { type ReactNode, useRef } from "react";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Hostile } from "@/ui/Hostile";

interface Props {
  title: string;
  /** Label of the button, a verb. */
  verb: string;
  danger?: boolean;
  busy: boolean;
  disabled?: boolean;
  error: Error | null;
  act: () => void;
  close: () => void;
  children: ReactNode;
}

/** Asks for confirmation, and shows the server's error if the action fails. */
export function ConfirmDialog(props: Props) {
  const { title, verb, danger = false, busy, error, act, close, children } = props;
  const form = useRef<HTMLFormElement>(null);
  return (
    <Dialog title={title} close={close}>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          act();
        }}
        className="flex min-w-0 flex-col gap-3 text-sm"
      >
        {children}
        {error && (
          <p role="alert" className="rounded-md bg-bad-ground px-3 py-2 break-words text-bad">
            <span aria-hidden>✗ </span>
            <Hostile text={error.message} />
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button look="quiet" onClick={close}>
            Go back
          </Button>
          <Button
            type="submit"
            look={danger ? "danger" : "primary"}
            busy={busy}
            disabled={props.disabled ?? false}
          >
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
