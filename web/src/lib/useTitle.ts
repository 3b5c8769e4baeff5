import { useEffect } from "react";
import { shown } from "@/lib/hostile";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${shown(title)} · Yudai` : "Yudai";
  }, [title]);
}
