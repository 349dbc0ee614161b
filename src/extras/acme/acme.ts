/** What other parts see of certificates that are ordered. */
import type { Changes } from "../../platform/cluster/changes.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import type { CertificateState } from "../../lib/certificate.ts";
import { appError } from "../../lib/errors.ts";
import type { CertificateRepository } from "./certificates.repository.ts";

export type Acme = ReturnType<typeof createAcme>;

type Deps = {
  repository: Pick<CertificateRepository, "save">;
  changes: Pick<Changes, "write">;
  hosts(): readonly string[];
  states(): CertificateState[];
};

export const createAcme = ({ repository, changes, hosts, states }: Deps) => ({
  states,
  /** The next run of the job tries it. @throws NotFound for a host that is not ours */
  async retry(given: string): Promise<void> {
    const host = asciiLower(given);
    if (!hosts().includes(host))
      throw appError("NotFound", `${given} is neither the host of features.public_url nor a domain.`);
    await changes.write(async (tx) => {
      await repository.save(tx.db, host, { tryAt: 0 });
      tx.changed("certificates", [host]);
    });
  },
});
