import { useNavigate } from "@tanstack/react-router";
import type { Link } from "../base/api.ts";

/** Changes a code of the default domain between URL, share and drop box, on the page of a share. */
export function useChangeUse(link: Link | undefined): { begin(): void; dialog: null } {
  const navigate = useNavigate();
  return {
    begin() {
      if (link === undefined) return;
      if (link.target.startsWith("waymark:"))
        void navigate({ to: "/share/$", params: { _splat: link.code }, search: {} });
      else void navigate({ to: "/shares/new", search: { link: link.code } });
    },
    dialog: null,
  };
}
