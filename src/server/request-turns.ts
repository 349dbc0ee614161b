/**
 * Gives way to redirects. Requests of programs that arrive together would hold the event loop for the sum of their times,
 * so only a few begin in a turn of it. The others wait for the next turns, before which the redirects that arrived
 * meanwhile are answered.
 */
const MOST_A_TURN = 4;

export function createRequestTurns(most = MOST_A_TURN) {
  const waiting: (() => void)[] = [];
  let begun = 0;

  function nextTurn(): void {
    begun = Math.min(most, waiting.length);
    for (const begin of waiting.splice(0, most)) begin();
    if (begun > 0) setImmediate(nextTurn);
  }

  return <T>(work: () => T | Promise<T>): T | Promise<T> => {
    if (begun === 0) setImmediate(nextTurn);
    if (begun < most) {
      begun++;
      return work();
    }
    return new Promise<T>((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  };
}
