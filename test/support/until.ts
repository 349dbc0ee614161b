/** Polls until the condition holds. Fails after `mostTries` polls, 25 ms apart. */
export async function until(isSo: () => boolean | Promise<boolean>, mostTries = 2400): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    if (tries === mostTries) throw new Error("what was waited for did not come");
    await Bun.sleep(25);
  }
}

const SOON_MS = 60_000;

/** Repeats a check until it passes. After a minute it fails as the check does. */
export async function soon(check: () => void | Promise<void>): Promise<void> {
  const deadline = performance.now() + SOON_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await Bun.sleep(50);
  }
}
