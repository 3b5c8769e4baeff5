import { isRouteErrorResponse, useRouteError } from "react-router";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/states";

/** Shown after an unexpected error, with its message and a reload button. */
export function ErrorPage() {
  const error = useRouteError();
  const message = isRouteErrorResponse(error)
    ? error.statusText
    : error instanceof Error
      ? error.message
      : String(error);
  return (
    <main className="mx-auto max-w-2xl p-6">
      <Empty
        title="Something went wrong"
        action={
          <Button look="primary" onClick={() => window.location.reload()}>
            Reload
          </Button>
        }
      >
        <p>
          This is a bug in Yudai. Your solve is not affected: it runs on the server, without the
          page.
        </p>
        <code className="mt-2 block break-words text-bad">{message}</code>
      </Empty>
    </main>
  );
}
