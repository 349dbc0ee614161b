/** HTTPS without a proxy: certificates from an authority for all our hosts, on every node. */
import type { LinkService } from "../../links/links.service.ts";
import type { Core } from "../../platform/core.ts";
import type { Platform, Room } from "../../platform/room-shape.ts";

type Needs = Platform & {
  links: LinkService;
  notices: { certificatesFailed(hosts: readonly string[], reason: string): Promise<void> };
};

export const acmeRoom = {
  name: "acme",
  commands: { certificates: "certificates that the server orders" },
  loadCommands: async () => (await import("./acme.commands.ts")).addCertificateCommands,
  async start(core: Core, { env, box, links, notices, certificates, serverCertificates, step }: Needs) {
    if (!env.server.acme) return { offers: { certificates, acme: null } };
    const { database, changes, config, clock, logger } = core;
    const { createAcme } = await import("./acme.ts");
    const { createCertificateJob } = await import("./certificate-job.ts");
    const { createCertificateRepository } = await import("./certificates.repository.ts");
    const { createKnownCertificates } = await import("./known-certificates.ts");
    const { createOurHosts } = await import("./our-hosts.ts");
    const { createPlainResponder } = await import("./plain-responder.ts");
    const ours = createOurHosts({
      publicUrl: () => config.get("features.public_url"),
      domains: () => links.domains.list().map(({ host }) => host),
      isDomain: (host) => links.domains.of(host) !== undefined,
      port: env.server.port,
    });
    const repository = createCertificateRepository(database);
    const known = createKnownCertificates({
      repository,
      box,
      served: serverCertificates,
      hosts: ours.list,
      now: clock.now,
      logger,
    });
    const leave = changes.subscribe("certificates", known.changed);
    await step(known.load);
    const job = createCertificateJob({
      repository,
      known,
      changes,
      box,
      directory: env.server.acmeDirectory,
      email: env.server.acmeEmail,
      hosts: ours.list,
      report: notices.certificatesFailed,
      clock,
      logger,
    });
    const states = () => [...ours.states(), ...known.states()];
    return {
      offers: {
        certificates: () => [...certificates(), ...states()],
        acme: createAcme({ repository, changes, hosts: ours.list, states: known.states }),
      },
      jobs: [{ ...job, soonAfter: "domains" as const }],
      plainHttp: createPlainResponder({ ...ours, proofOf: known.proofOf, refresh: known.refresh }),
      close: leave,
    };
  },
} satisfies Room;
