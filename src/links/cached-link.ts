/** A link on the way from the database to a redirect. */

/** What the database tells of a code. */
export type FoundLink = { id: number; target: string; expires_at: number | null };

export type StoredLink = { id: number; code: string; target: string; expiresAt: number | null };

/** What a redirect needs; `location` is ASCII. */
export type CachedLink = { id: number; location: string };

/** A cache that processes share. It never rejects: away is the same as not there. */
export type SharedLinks = {
  get(code: string): Promise<FoundLink | null>;
  set(code: string, link: FoundLink): void;
  /** When it is fulfilled, `get` doesn't give the old links any more. */
  delete(codes: readonly string[]): Promise<void>;
  clear(): Promise<void>;
};
