import { Link } from "react-router";
import { useTitle } from "@/lib/useTitle";
import { Empty } from "@/ui/states";

export function Component() {
  useTitle("Not found");
  return (
    <Empty
      page
      title="There is no such page"
      action={
        <Link to="/" className="text-second underline">
          All solves
        </Link>
      }
    />
  );
}
