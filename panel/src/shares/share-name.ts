import { useLingui } from "@lingui/react/macro";
import type { Share } from "../base/api.ts";

/** How a share is called: by its title, or by what it holds. */
export function useShareName(): (share: Share) => string {
  const { t } = useLingui();
  return ({ title, entry, items, code }) => {
    const [first, more] = [entry?.name ?? code, (items ?? 1) - 1];
    return title ?? (more > 0 ? t`${first} and ${more} more` : first);
  };
}
