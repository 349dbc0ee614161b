import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Link } from "../../app/api.ts";
import { accountQuery } from "../../auth/account.ts";
import { dropDraft, keepDraft, readDraft } from "../../ui/draft.ts";
import { type LinkValues, typedOf, valuesOf } from "./link-values.ts";

/** Values of a form that keeps what is typed until it is saved; each account its own. */
export function useLinkDraft(link: Link | null) {
  const { data: account } = useQuery(accountQuery);
  const name = `${account?.id} ${link === null ? "link" : `link ${link.domain ?? ""}/${link.code}`}`;
  const [start] = useState(() => ({ ...valuesOf(link), ...readDraft(name, valuesOf(link)) }));
  const [values, setValues] = useState<LinkValues>(start);
  const [isRestored, setIsRestored] = useState(() => Object.keys(typedOf(start, link)).length > 0);
  const change = (next: LinkValues): void => {
    setValues(next);
    keepDraft(name, typedOf(next, link));
  };
  return {
    values,
    change,
    /** Whether it began with a draft. */
    isRestored,
    discard(): void {
      setIsRestored(false);
      change(valuesOf(link));
    },
    forget: () => dropDraft(name),
  };
}
