/** It changes nothing. */
import { databaseRefusalOf } from "../../platform/db/failures.ts";
import { messageOf } from "../../lib/errors.ts";
import { withTimeout } from "../../lib/timeout.ts";

export type CheckVerdict = "ok" | "warning" | "failure";

export type CheckResult = {
  part: string;
  verdict: CheckVerdict;
  /** One sentence. */
  message: string;
  /** What to do; empty for "ok". */
  advice: string;
};

/** A check that throws is a failure with that message. */
export type Check = { part: string; look(): Promise<readonly Finding[]> };

type Finding = Omit<CheckResult, "part">;

const finding =
  (verdict: CheckVerdict) =>
  (message: string, advice: string): Finding => ({ verdict, message, advice });
export const ok = (message: string): Finding => finding("ok")(message, "");
export const warning = finding("warning");
export const failure = finding("failure");

const CHECK_MS = 15_000;

/** Runs the checks in the order of the report. */
export async function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const findings: CheckResult[] = [];
  for (const { part, look } of checks) {
    try {
      findings.push(...(await within(look())).map((found) => ({ part, ...found })));
    } catch (error) {
      const message = databaseRefusalOf(error) ?? messageOf(error);
      findings.push({
        part,
        ...failure(message, "Fix this first: parts that depend on it could not be checked."),
      });
    }
  }
  return findings;
}

const within = <T>(look: Promise<T>): Promise<T> =>
  withTimeout(CHECK_MS, look, () => {
    throw new Error(`did not respond within ${CHECK_MS / 1000} s`);
  });
