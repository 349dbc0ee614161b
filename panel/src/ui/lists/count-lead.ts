/** Clicks of a link that the stream has named, and that the server's count lacks. */
export function createCountLead(known: number) {
  let counted = known;
  /** Below 0: the server counted clicks that the stream has yet to name. */
  let ahead = 0;
  return {
    arrived(): void {
      ahead += 1;
    },
    /** What to show for the server's present count, which has taken in as many of the clicks as it has grown by. */
    shown(count: number): number {
      ahead = count < counted ? 0 : ahead - (count - counted);
      counted = count;
      return count + Math.max(0, ahead);
    },
  };
}
