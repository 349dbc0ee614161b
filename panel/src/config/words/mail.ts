/** The server that mails go through. */
import { msg } from "@lingui/core/macro";

export const MAIL_WORDS = {
  "mail.host": {
    name: msg`Mail server`,
    description: msg`SMTP server that sends mails, such as smtp.example.com. Empty: no mails.`,
    allowed: msg`empty or a host name or address such as smtp.example.com`,
  },
  "mail.port": {
    name: msg`Port`,
    description: msg`Mostly 587, or 465 for a connection that is encrypted from the start.`,
  },
  "mail.tls": {
    name: msg`Encryption`,
    description: msg`Encryption of the connection to the mail server.`,
    options: {
      starttls: msg`After the greeting (STARTTLS)`,
      tls: msg`From the start (TLS)`,
      none: msg`None, for a server on the same machine`,
    },
  },
  "mail.user": {
    name: msg`User name`,
    description: msg`Account at the mail server. Empty: none is needed.`,
    allowed: msg`empty or at most 512 characters in one line`,
  },
  "mail.password": {
    name: msg`Password`,
    description: msg`Password of that account.`,
    allowed: msg`empty or at most 512 characters in one line`,
  },
  "mail.from": {
    name: msg({ message: "Sender", context: "of mails" }),
    description: msg`Address that mails come from, such as waymark@example.com.`,
    allowed: msg`empty or an address such as waymark@example.com`,
  },
};
