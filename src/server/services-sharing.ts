/** Shares and drop boxes, with the settings and mails that they use. */
import type { createAuth } from "../auth/auth.ts";
import type { Config } from "../platform/config/config.service.ts";
import { createSharing } from "../files/sharing.ts";
import type { createMail } from "../extras/mail/mail.service.ts";
import type { Notices } from "../extras/mail/notices.ts";
import type { Webhooks } from "../extras/webhooks/webhooks.service.ts";
import { sharePolicyIn } from "./services-policies.ts";

type SharingDeps = Parameters<typeof createSharing>[0];
type OwnDeps = "policy" | "mail" | "secret" | "visitDays" | "tellDownload";

type Rooms = Omit<SharingDeps, OwnDeps> & {
  config: Config;
  auth: Pick<ReturnType<typeof createAuth>, "contacts">;
  mail: Pick<ReturnType<typeof createMail>, "forShares">;
  notices: Notices;
  webhooks: Pick<Webhooks, "downloaded">;
};

export const startSharing = ({ config, auth, mail, notices, webhooks, ...deps }: Rooms) =>
  createSharing({
    ...deps,
    policy: sharePolicyIn(config),
    mail: {
      ...mail.forShares,
      languageOf: async (id) => (await auth.contacts.get(id)).language,
    },
    secret: () => config.get("api.jwt_secret"),
    visitDays: () => config.get("analytics.log_retention_days"),
    tellDownload: async (share) => {
      await webhooks.downloaded(share);
      await notices.downloaded(share);
    },
  });
