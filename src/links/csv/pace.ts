/** Rests half as long as it worked since the last rest, so that redirects and other writers get their turn. */
export function createImportPace(): () => Promise<void> {
  let restedAt = performance.now();
  return async () => {
    await Bun.sleep((performance.now() - restedAt) / 2);
    restedAt = performance.now();
  };
}
