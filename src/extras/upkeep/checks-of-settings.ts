import { pluralize } from "../../lib/pluralize.ts";
import { programName } from "../../lib/program-name.ts";
import { type Check, failure, ok, warning } from "./doctor.ts";
import { type CertificateState, dayOf } from "../../lib/certificate.ts";

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

/** Details of clicks that were lost in the last days. */
export const checkClickDetails = (
  view: () => Promise<{ days: number; atOnce: number; full: number }>,
): Check => ({
  part: "click details",
  async look() {
    const { days, atOnce, full } = await view();
    const said = (count: number) =>
      `the details of ${pluralize(count, "click")} of the last ${days} days were dropped`;
    const findings = [];
    if (atOnce > 0)
      findings.push(
        warning(
          `${said(atOnce)}, because more came at once than could be stored; they are counted`,
          `Give the database a faster disk, or keep a part of the details: ${programName()} config set analytics.sample_rate 0.5`,
        ),
      );
    if (full > 0)
      findings.push(
        warning(
          `${said(full)}, because the click log is full; they are counted`,
          `Raise analytics.max_log_rows, or let the oldest ones go: ${programName()} config set analytics.max_rows_action cleanup`,
        ),
      );
    return findings.length > 0 ? findings : [ok(`none were dropped in the last ${days} days`)];
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

/** Checks the certificates of the server and of database servers. */
export const checkCertificates = (states: () => Promise<readonly CertificateState[]>): Check => ({
  part: "certificates",
  async look() {
    const all = await states();
    if (all.length === 0) return [ok("none is set: a proxy serves HTTPS, or nobody does")];
    return all.map(({ path, notAfter, trouble }) => {
      if (trouble === null && notAfter === null)
        return ok(`${path} has none yet; it is ordered when a server runs`);
      if (trouble === null) return ok(`${path} is valid until ${dayOf(notAfter!)}`);
      const [message = "", advice = ""] = trouble.message.split(/(?<=\.) (.*)/s);
      const sentence = message.replace(/\.$/, "");
      return trouble.level === "error" ? failure(sentence, advice) : warning(sentence, advice);
    });
  },
});

type ProxyView = {
  /** Sentences without their end. */
  ignored: readonly { peer: string; message: string }[];
  below: string | null;
  trusted: readonly string[];
};

/** What servers of this data folder noted about requests of proxies within a day. */
export const checkProxies = (view: () => Promise<ProxyView>): Check => ({
  part: "proxies",
  async look() {
    const { ignored, below, trusted } = await view();
    const findings = ignored.map(({ peer, message }) =>
      warning(
        message,
        `If it is your proxy: ${programName()} config set api.trusted_proxies ${[...trusted, peer].join(",")}`,
      ),
    );
    if (below !== null) {
      const command = `${programName()} config set features.public_url https://HOST`;
      findings.push(warning(below, `${command}, a host at whose root Waymark answers.`));
    }
    return findings.length > 0 ? findings : [ok("no header of a proxy was ignored within a day")];
  },
});
