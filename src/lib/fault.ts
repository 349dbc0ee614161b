/**
 * Points at which a test ends the process as `kill -9` would, to prove what a crash leaves behind. Nothing is armed
 * unless the environment says so (env.ts), and then passing a point costs one comparison.
 */
let armed: { point: string; left: number } | null = null;

/** `point`, or `point:3` for the third time it is passed; null disarms. */
export function armFault(text: string | null): void {
  const [point = "", times = "1"] = (text ?? "").split(":");
  armed = point === "" ? null : { point, left: Math.max(1, Number.parseInt(times, 10) || 1) };
}

/** Does not return when this point is armed and its turn has come. */
export function fault(point: string): void {
  if (armed === null || armed.point !== point) return;
  armed.left -= 1;
  if (armed.left === 0) process.kill(process.pid, "SIGKILL");
}
