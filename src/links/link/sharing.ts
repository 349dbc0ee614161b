import type { Actor } from "../../lib/actor.ts";
import type { PatchInput, ShownLink } from "./link.ts";

/** Uses of codes besides URLs, from another room. */
export type LinkSharing = {
  /** Null if the link is and stays one to a URL. */
  patchLink(accountId: number, key: string, input: PatchInput, actor: Actor): Promise<ShownLink | null>;
  /** Null if the link is one to a URL, and was. @param mayShare throws for callers that may make no shares */
  revertLink(
    accountId: number,
    key: string,
    which: { eventId: number; state: "before" | "after" },
    by: { actor: Actor; mayShare(): void },
  ): Promise<ShownLink | null>;
};
