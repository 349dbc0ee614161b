export type FoundLink = { id: number; target: string; expires_at: number | null };

/** Zero for none; the instant 0 becomes 1. */
export const expiryOrZero = (expiresAt: number | null): number => (expiresAt === null ? 0 : expiresAt || 1);

export type StoredLink = { id: number; code: string; target: string; expiresAt: number | null };

/** `location` is ASCII. */
export type CachedLink = { id: number; location: string };

/** Never rejects: while Redis is away it counts as empty. */
export type SharedLinks = {
  /** The stored link, else the result of `load`, stored unless deleted meanwhile. */
  find(
    code: string,
    load: () => FoundLink | null | undefined | Promise<FoundLink | null | undefined>,
  ): Promise<FoundLink | null | undefined>;
  /** When it resolves, `find` returns no old link. */
  delete(codes: readonly string[]): Promise<void>;
  clear(): Promise<void>;
};
