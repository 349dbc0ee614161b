/** Rests for a share of the time since the last rest, so that redirects and other writers get their turn. */
export function createImportPace(share: number): () => Promise<void> {
  let restedAt = performance.now();
  return async () => {
    if (share > 0) await Bun.sleep((performance.now() - restedAt) * share);
    restedAt = performance.now();
  };
}
