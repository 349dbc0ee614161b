/** Looks at every part of an installation and says what to do about what is wrong. It changes nothing. */
import { messageOf } from "../lib/errors.ts";
import { withTimeout } from "../lib/timeout.ts";

export type CheckVerdict = "ok" | "warning" | "failure";

export type CheckResult = {
  /** The part that was looked at. */
  part: string;
  verdict: CheckVerdict;
  /** What was found, in one sentence. */
  message: string;
  /** What to do; empty when all is well. */
  advice: string;
};

/** What a check found; a check that throws is a failure with that message. */
export type Check = { part: string; look(): Promise<readonly Omit<CheckResult, "part">[]> };

export const ok = (message: string): Omit<CheckResult, "part"> => ({ verdict: "ok", message, advice: "" });
export const warning = (message: string, advice: string): Omit<CheckResult, "part"> => ({
  verdict: "warning",
  message,
  advice,
});
export const failure = (message: string, advice: string): Omit<CheckResult, "part"> => ({
  verdict: "failure",
  message,
  advice,
});

/** The longest that a part may take to answer. */
const CHECK_MS = 15_000;

/** Runs the checks one after another, so that their order is the order of the report. */
export async function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const findings: CheckResult[] = [];
  for (const { part, look } of checks) {
    try {
      findings.push(...(await within(look())).map((found) => ({ part, ...found })));
    } catch (error) {
      const message = messageOf(error);
      findings.push({
        part,
        ...failure(message, "Mend this first: what depends on it could not be looked at."),
      });
    }
  }
  return findings;
}

const within = <T>(look: Promise<T>): Promise<T> =>
  withTimeout(CHECK_MS, look, () => {
    throw new Error(`gave no answer in ${CHECK_MS / 1000} s`);
  });
