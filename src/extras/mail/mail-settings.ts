import { settingKinds, type SettingSection } from "../../platform/settings/env-settings.ts";

const { text, integer, matching, choice } = settingKinds;

const ADDRESS = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$/i;

const rows = {
  host: text("", "SMTP server that sends the mails of Waymark. Empty: that of the run-time settings."),
  port: integer(587, 1, 65535, "Port of the SMTP server."),
  user: text("", "Account at the SMTP server. Empty: none is needed."),
  /** Never log it. */
  password: text("", "Password of that account."),
  from: matching(
    "",
    ADDRESS,
    "an address such as waymark@example.com",
    "Address that mails come from; needed with mail.host.",
  ),
  tls: choice(
    ["starttls", "tls", "none"],
    "starttls: encrypted after the greeting (port 587). tls: from the start (port 465). none: not encrypted, for a server on the same machine.",
  ),
};

export const MAIL_SETTINGS: SettingSection<typeof rows> = {
  name: "mail",
  before: "oidc",
  rows,
  refusal: ({ host, from }) =>
    host !== "" && from === "" ? "'mail.host' needs 'mail.from', the address that mails come from" : null,
};
