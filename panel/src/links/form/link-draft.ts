import { useState } from "react";
import type { Link } from "../../base/api.ts";
import { useDraft } from "../../ui/forms/use-draft.tsx";
import { type LinkValues, valuesOf } from "./link-values.ts";

/** Values of a form whose draft is kept until it is saved. @param part of the link's fields; empty: all */
export function useLinkDraft(link: Link | null, part = "") {
  const place = link === null ? "" : ` ${link.domain ?? ""}/${link.code}`;
  const draft = useDraft(`link${part && ` ${part}`}${place}`, valuesOf(link), ["password"]);
  const [values, setValues] = useState<LinkValues>(draft.start);
  return {
    ...draft,
    values,
    change(next: LinkValues): void {
      setValues(next);
      draft.keep(next);
    },
    discard: () => setValues(draft.discard()),
  };
}
