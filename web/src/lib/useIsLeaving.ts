import { useNavigation } from "react-router";

/**
 * True while another page loads. Code that writes to the URL after a pause checks it first: the
 * router would drop the navigation under way in favour of the newer one.
 */
export function useIsLeaving(): boolean {
  return useNavigation().state !== "idle";
}
