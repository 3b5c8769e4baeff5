import { KEYMAP } from "@/app/keymap";
import { useStored } from "@/lib/storage";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";

export function KeysHelp({ close }: { close: () => void }) {
  const [keys, setKeys] = useStored("yudai.keys", "on");
  return (
    <Dialog title="Keyboard shortcuts" close={close} wide>
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-(--accent)"
          checked={keys === "on"}
          onChange={(event) => setKeys(event.target.checked ? "on" : "off")}
        />
        Single-key shortcuts are on
      </label>
      <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
        {KEYMAP.map((group) => (
          <section key={group.where}>
            <h3 className="mb-1 text-sm text-accent-text">{group.where}</h3>
            <dl className="grid grid-cols-[6rem_1fr] gap-y-1 text-sm">
              {group.keys.map(([key, what]) => (
                <div key={key} className="contents">
                  <dt>
                    <kbd className="rounded border border-line-strong bg-raised px-1.5 py-0.5 text-xs">
                      {key}
                    </kbd>
                  </dt>
                  <dd className="text-soft">{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Button className="self-end" onClick={close}>
        Close
      </Button>
    </Dialog>
  );
}
