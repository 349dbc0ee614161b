import { programName } from "../../lib/program-name.ts";
import { type Check, ok, warning } from "./doctor.ts";

export type ProxyView = {
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
