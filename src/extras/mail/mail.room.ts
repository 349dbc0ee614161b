/** Mails: an outbox that one process sends by SMTP, and notices of what happened. */
import type { Auth } from "../../auth/auth.ts";
import type { LinkService } from "../../links/links.service.ts";
import type { Core } from "../../platform/core.ts";
import type { Platform, Room } from "../../platform/room-shape.ts";
import type { MakeFigures } from "../../reports/figures.ts";
import type { ReportsRepository } from "../../reports/reports.repository.ts";
import type { ReportPages } from "../../reports/reports.service.ts";
import type { VisitorDoor } from "../../visitors/door.ts";
import type { Mail } from "./mail.service.ts";
import { MAIL_SETTINGS } from "./mail-settings.ts";
import type { Registry } from "../../lib/metrics.ts";

export const mailRoom = {
  name: "mail",
  commands: { mail: "mails that were sent, wait or have failed" },
  settings: [MAIL_SETTINGS],
  loadCommands: async () => (await import("./mail.commands.ts")).addMailCommands,
  async start(core: Core, { env, instance, registry }: Platform) {
    const { createMail } = await import("./mail.service.ts");
    const { mailEndpoints } = await import("./mail.routes.ts");
    const { listeningOrigin } = await import("../../platform/http/origins.ts");
    const { createIdentity } = await import("../../visitors/identity.ts");
    const { config } = core;
    const mail = createMail({
      ...core,
      instance,
      settings: () => ({
        host: env.isSuccessor || config.get("mail.from") === "" ? "" : config.get("mail.host"),
        port: config.get("mail.port"),
        user: config.get("mail.user"),
        password: config.get("mail.password"),
        from: config.get("mail.from"),
        tls: config.get("mail.tls"),
      }),
      identity: createIdentity(config),
      zone: () => config.get("analytics.time_zone"),
      origin: () => config.get("features.public_url") || listeningOrigin(env.server),
      panelPath: () =>
        config.get("features.enable_admin_panel") ? config.get("routes.frontend_prefix") : null,
      count: createMailCounter(registry),
    });
    return {
      offers: { mail },
      endpoints: { api: mailEndpoints(mail) },
      jobs: [{ ...mail.job, soonAfter: "mails" as const }],
    };
  },
} satisfies Room;

/** Mails about events, to the accounts whom they concern. */
export const noticesRoom = {
  name: "notices",
  async start(
    { record }: Core,
    { mail, auth, links, events }: Platform & { mail: Mail; auth: Auth; links: LinkService },
  ) {
    const { codeOf, domainOf } = await import("../../links/link/key.ts");
    const hostOf = (key: string) => links.domains.hostOf(domainOf(key));
    const notices = mail.notices({
      record,
      codeOf,
      recipientOf: auth.contacts.recipientOf,
      administrators: auth.contacts.administrators,
      nameOf: (key) => `${hostOf(key) ?? URL.parse(mail.origin())?.host}/${codeOf(key)}`,
      pageOf: (key) =>
        codeOf(key).split("/").map(encodeURIComponent).join("/") +
        (hostOf(key) === null ? "" : `?domain=${hostOf(key)}`),
    });
    events.onRecorded(notices.onEvents);
    return { offers: { notices }, jobs: [notices.endingJob] };
  },
} satisfies Room;

type ReportMailNeeds = Platform & {
  mail: Mail;
  auth: Auth;
  links: LinkService;
  reports: ReportPages & { figures: MakeFigures; visited: ReportsRepository["visited"]; zone(): string };
  door: VisitorDoor;
};

/** Mails that bring reports. */
export const reportMailsRoom = {
  name: "report-mails",
  extensions: {
    reports: async () => (await import("./reports/report-mails.commands.ts")).addReportMailCommands,
  },
  async start(core: Core, { mail, auth, links, reports, door }: ReportMailNeeds) {
    const { createReportMails } = await import("./reports/report-mails.service.ts");
    const { createReportMailsRepository } = await import("./reports/report-mails.repository.ts");
    const { createReportMailJob } = await import("./reports/sending.ts");
    const { reportMailEndpoints } = await import("./reports/report-mails.routes.ts");
    const { shortUrl } = await import("../../links/link/short-url.ts");
    const { codeOf, domainOf } = await import("../../links/link/key.ts");
    const { hostOf } = links.domains;
    const readerUrl = (token: string) =>
      `${mail.origin()}${core.config.get("routes.admin_prefix")}/v1/analytics/readers/${token}`;
    const shared = {
      ...core,
      repository: createReportMailsRepository(core.database),
      outbox: mail.outbox,
      readerUrl,
      zone: reports.zone,
    };
    const reportMails = createReportMails({
      ...shared,
      pages: reports,
      languageOf: async (id) => (await auth.contacts.get(id)).language,
    });
    core.config.onChange("analytics.time_zone", () => {
      reportMails.replan().catch((err: unknown) => {
        core.logger.warn({ err }, "mails of reports keep their former hours until the next ones");
      });
    });
    const job = createReportMailJob({
      ...shared,
      pages: reports,
      figures: reports.figures,
      texts: (language) => door.pages.look({ headers: { get: () => language } }),
      pageUrl: (key) => shortUrl(mail.origin(), hostOf(domainOf(key)), codeOf(key)),
    });
    return {
      offers: { reportMails },
      endpoints: {
        api: reportMailEndpoints({
          mails: reportMails,
          hostOf,
          visitorPages: door.pages,
          readForm: door.readForm,
        }),
      },
      jobs: [job],
    };
  },
} satisfies Room;

const OUTCOMES = ["sent", "delayed", "failed"] as const;

/** Counts the mails of this process. */
function createMailCounter(registry: Registry): (status: (typeof OUTCOMES)[number]) => void {
  const mails = registry.counter({
    name: "svc_mails_total",
    help: "Attempts to send a mail, by outcome.",
    labels: ["status"],
  });
  // Alerts compare with 0, so that each series is there from the start.
  for (const outcome of OUTCOMES) mails.series(outcome);
  return (status) => mails.series(status).add();
}
