/** Requests and redirects by code, to compare with the counts of an export. */
export type ClickTally = {
  sent: Map<string, number>;
  answered: Map<string, number>;
};

export const addOne = (counts: Map<string, number>, code: string): void =>
  void counts.set(code, (counts.get(code) ?? 0) + 1);

export const sumOf = (counts: ReadonlyMap<string, number>): number =>
  counts.values().reduce((sum, count) => sum + count, 0);

/** Clicks by code in a CSV export. */
export function countsIn(exported: string): Map<string, number> {
  const [header, ...rows] = exported.trim().split("\n");
  const column = header!.split(",").indexOf("click_count");
  return new Map(rows.map((row) => row.split(",")).map((cells) => [cells[0]!, Number(cells[column])]));
}

/** Requires answered ≤ counted ≤ sent: a request without an answer may count. Returns a line for each wrong code. */
export function compareCounts({ sent, answered }: ClickTally, counts: ReadonlyMap<string, number>): string[] {
  return [...sent.keys()].flatMap((code) => {
    const [low, is, high] = [answered.get(code) ?? 0, counts.get(code) ?? 0, sent.get(code) ?? 0];
    return low <= is && is <= high ? [] : [`${code}: answered ${low}, counted ${is}, sent ${high}`];
  });
}
