/** Asks until it is so; fails after that many asks, 25 ms apart. */
export async function until(isSo: () => boolean | Promise<boolean>, mostTries = 2400): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries === mostTries) throw new Error("what was waited for did not come");
    await Bun.sleep(25);
  }
}
