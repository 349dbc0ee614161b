/** Polls until the condition holds. Fails after `mostTries` polls, 25 ms apart. */
export async function until(isSo: () => boolean | Promise<boolean>, mostTries = 2400): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries === mostTries) throw new Error("what was waited for did not come");
    await Bun.sleep(25);
  }
}
