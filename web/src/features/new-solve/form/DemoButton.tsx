import { useDemo } from "@/lib/useDemo";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

export function DemoButton() {
  const demo = useDemo();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
      <span>No API key or issue at hand?</span>
      <Button busy={demo.isPending} onClick={() => demo.mutate()}>
        Watch the demo
      </Button>
      {demo.error && (
        <p role="alert" className="basis-full text-xs break-words text-bad">
          The demo did not start: <Hostile text={demo.error.message} />
        </p>
      )}
    </div>
  );
}
