import { programName } from "../../lib/program-name.ts";
import { type Check, failure, ok, warning } from "./doctor.ts";

/** Above this, click records cost more disk than they are worth to most. */
export const MANY_CLICK_RECORDS = 10_000_000;

/** `most` is the configured bound, 0 for none. */
export const checkClickRecords = (view: () => Promise<{ most: number; areMany: boolean }>): Check => ({
  part: "click records",
  async look() {
    const { most, areMany } = await view();
    if (most > 0) return [ok(`at most ${most.toLocaleString("en")} are kept`)];
    if (!areMany) return [ok("only their age is limited")];
    return [
      warning(
        `more than ${MANY_CLICK_RECORDS.toLocaleString("en")} are kept, and only their age is limited`,
        `Limit their number: ${programName()} config set analytics.max_log_rows ${MANY_CLICK_RECORDS}`,
      ),
    ];
  },
});

export type SettingsView = {
  isAdminEnabled: boolean;
  hasHealthToken: boolean;
  isCookieSecure: boolean;
  sameSite: string;
  isTls: boolean;
};

export const checkSettings = (view: () => Promise<SettingsView>): Check => ({
  part: "settings",
  async look() {
    const settings = await view();
    const findings = [];
    if (!settings.isAdminEnabled)
      findings.push(warning("the admin API is off", `Set a password: ${programName()} reset-password`));
    if (!settings.hasHealthToken) {
      findings.push(
        warning(
          "no health token is set for monitors",
          `${programName()} config set api.health_token --stdin < TOKEN_FILE, to read /health and metrics without a session.`,
        ),
      );
    }
    if (!settings.isCookieSecure && settings.isTls) {
      findings.push(
        warning(
          "cookies are also sent over plain HTTP",
          `${programName()} config set api.cookie_secure true`,
        ),
      );
    }
    if (!settings.isCookieSecure && settings.sameSite === "None") {
      findings.push(
        failure(
          "browsers reject cookies with SameSite=None that are not Secure",
          `${programName()} config set api.cookie_secure true`,
        ),
      );
    }
    return findings.length === 0 ? [ok("no problems found")] : findings;
  },
});

/**
 * `misplaced` returns policies whose location is refused for new ones; `standings` writes to the storages, and returns
 * what keeps them from taking files.
 */
export const checkPolicies = (
  misplaced: () => Promise<{ name: string; refusal: string }[]>,
  standings: () => Promise<{ name: string; trouble: string | null }[]>,
): Check => ({
  part: "storage policies",
  async look() {
    const unusable = (await standings()).flatMap(({ name, trouble }) =>
      trouble === null ? [] : failure(`the storage of the policy '${name}' takes no files`, trouble),
    );
    const found = (await misplaced()).map(({ name, refusal }) =>
      warning(
        `the policy '${name}' works, but its location is refused for new policies. ${refusal}`,
        "Allow its folder, or move its files to another policy and delete this one.",
      ),
    );
    const all = [...unusable, ...found];
    return all.length > 0 ? all : [ok("every policy is in an allowed location and can be written")];
  },
});
