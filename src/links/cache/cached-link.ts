/** A link on the way from the database to a redirect. */

/** What the database tells of a code. */
export type FoundLink = { id: number; target: string; expires_at: number | null };

/** An expiry where 0 stands for none: the instant 0 becomes the one after it, which is as long ago. */
export const expiryOrZero = (expiresAt: number | null): number => (expiresAt === null ? 0 : expiresAt || 1);

export type StoredLink = { id: number; code: string; target: string; expiresAt: number | null };

/** What a redirect needs; `location` is ASCII. */
export type CachedLink = { id: number; location: string };

/** A cache that processes share. It never rejects by itself: away is the same as not there. */
export type SharedLinks = {
  /** The link as a process found it before, else what `load` finds, kept for all unless it is deleted meanwhile. */
  find(
    code: string,
    load: () => FoundLink | null | undefined | Promise<FoundLink | null | undefined>,
  ): Promise<FoundLink | null | undefined>;
  /** When it is fulfilled, `find` doesn't give the old links any more. */
  delete(codes: readonly string[]): Promise<void>;
  clear(): Promise<void>;
};
