import { type ReactNode, useEffect, useId, useRef } from "react";

interface Props {
  title: string;
  close: () => void;
  children: ReactNode;
  wide?: boolean;
}

/** A native dialog: the browser traps the focus and closes it with Escape. */
export function Dialog({ title, close, children, wide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
      className={`card m-auto w-[calc(100vw-2rem)] ${wide ? "max-w-3xl" : "max-w-lg"} p-0 text-text shadow-2xl backdrop:bg-black/60`}
    >
      <div className="flex max-h-[80dvh] flex-col gap-3 overflow-y-auto p-5">
        <h2 id={heading} className="text-base font-semibold">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
