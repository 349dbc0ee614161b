/** Settings for the SMTP server, for instances whose start-up settings have no [mail]. */
import type { CheckedValue } from "./value-types.ts";
import { between, choice, inCategory, int, string } from "./value-types.ts";

const HOST = /^[a-z0-9._:[\]-]{0,253}$/i;
const ADDRESS = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$/i;
const LONGEST = 512;

const host = {
  allowed: "empty or a host name or address such as smtp.example.com",
  check: (text: string): CheckedValue => (HOST.test(text) ? text : null),
};
const address = {
  allowed: "empty or an address such as waymark@example.com",
  check: (text: string): CheckedValue => (text === "" || ADDRESS.test(text) ? text : null),
};
const line = {
  allowed: `empty or at most ${LONGEST} characters in one line`,
  check: (text: string): CheckedValue =>
    text.length <= LONGEST && text.isWellFormed() && !/[\0\r\n]/.test(text) ? text : null,
};

export const MAIL_DEFINITIONS = inCategory("mail", {
  "mail.host": string("", host, {
    description: "SMTP server that sends mails, such as smtp.example.com. Empty: no mails.",
  }),
  "mail.port": int(587, between(1, 65_535), {
    description: "Mostly 587, or 465 for a connection that is encrypted from the start.",
  }),
  "mail.tls": choice(
    "starttls",
    {
      starttls: "After the greeting (STARTTLS)",
      tls: "From the start (TLS)",
      none: "None, for a server on the same machine",
    },
    { description: "Encryption of the connection to the mail server." },
  ),
  "mail.user": string("", line, { description: "Account at the mail server. Empty: none is needed." }),
  "mail.password": string("", line, { description: "Password of that account.", sensitive: true }),
  "mail.from": string("", address, {
    description: "Address that mails come from, such as waymark@example.com.",
  }),
});
