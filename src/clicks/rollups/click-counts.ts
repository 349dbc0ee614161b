/** Ascending by link, which prevents deadlocks between flushes. `automated`: the part from automated visitors. */
export type LinkCounts = { links: number[]; clicks: number[]; automated: number[] };
/** For one hour, day or month. */
export type BucketIncrements = LinkCounts & { bucket: number };
/** Ascending by bucket. */
export type ClickCounts = {
  links: LinkCounts;
  hours: BucketIncrements[];
  days: BucketIncrements[];
  months: BucketIncrements[];
};
export const totalOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
