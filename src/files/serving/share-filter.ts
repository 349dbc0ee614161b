/** Which shares a list shows, and in which order. */
export const SHARE_KINDS = ["file", "folder", "drop", "items"] as const;
/** The first that applies of: damaged, expired, used up, active. Entries in the trash have one, too. */
export const SHARE_STATES = ["active", "expired", "used_up", "damaged"] as const;

/** Empty or absent: any. */
export type ShareFilter = {
  /** Null: of all accounts. */
  accountId: number | null;
  /** In code, title, note or name, ignoring case. */
  search?: string | undefined;
  kind?: (typeof SHARE_KINDS)[number] | "" | undefined;
  state?: (typeof SHARE_STATES)[number] | "" | undefined;
};

export const SHARE_SORTS = ["created_at", "code", "click_count", "expires_at"] as const;

/** Ties: newest first. No expiry sorts as the latest one. */
export type ShareOrder = { by: (typeof SHARE_SORTS)[number]; isDescending: boolean };
