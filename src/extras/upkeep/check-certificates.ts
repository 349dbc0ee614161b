import type { CertificateState } from "../../lib/certificate.ts";
import { type Check, failure, ok, warning } from "./doctor.ts";

/** Of the server and of database servers. */
export const checkCertificates = (states: () => Promise<readonly CertificateState[]>): Check => ({
  part: "certificates",
  async look() {
    const all = await states();
    if (all.length === 0) return [ok("none is set: a proxy serves HTTPS, or nobody does")];
    return all.map(({ path, notAfter, trouble }) => {
      if (trouble === null)
        return ok(`${path} is valid until ${new Date(notAfter!).toISOString().slice(0, 10)}`);
      const [message = "", advice = ""] = trouble.message.split(/(?<=\.) (.*)/s);
      const sentence = message.replace(/\.$/, "");
      return trouble.level === "error" ? failure(sentence, advice) : warning(sentence, advice);
    });
  },
});
