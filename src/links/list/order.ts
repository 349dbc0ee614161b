export const SORT_KEYS = ["created_at", "code", "click_count", "expires_at"] as const;
export type SortKey = (typeof SORT_KEYS)[number];
export const ORDER_WAYS = ["asc", "desc"] as const;

export type LinkOrder = {
  /** Ties follow by code for created_at, else by age. No expiry sorts as the latest expiry. */
  sort: SortKey;
  /** created_at: newest first, then by code. Ascending is the exact reverse. */
  descending: boolean;
};
