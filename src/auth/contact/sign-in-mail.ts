import type { Clock } from "../../lib/clock.ts";
import type { Account } from "../account.ts";
import type { AuthTransaction } from "../changes.ts";
import type { AuthMail } from "./link-mails.ts";
import type { ContactRepository } from "./repository.ts";

type Client = { address: string | null; browser: string | null; os: string | null };

export type TellOfClient = (tx: AuthTransaction, account: Account, client: Client) => Promise<void>;

/** Mails about what a browser did with the account, unless that has turned them off. */
export function createSignInMails(deps: { repository: ContactRepository; mail: AuthMail; clock: Clock }) {
  const teller =
    (kind: "sign_in" | "passkey"): TellOfClient =>
    async (tx, { id, username }, { address, browser, os }) => {
      const { repository, mail, clock } = deps;
      const contact = mail.isOffered() ? await repository.reachable(id, tx.db) : null;
      if (contact === null || contact.choices.sign_in === "off") return;
      const { email, language } = contact;
      const content = {
        username,
        address: address ?? "?",
        browser: [browser, os].filter((name) => name !== null).join(", ") || "?",
        at: clock.now(),
        url: mail.panelUrl("/account"),
      };
      await mail.queue(tx, { accountId: id, email, language }, { kind, content });
    };
  return {
    /** A sign-in from a browser that the account has not used before. */
    newBrowser: teller("sign_in"),
    newPasskey: teller("passkey"),
  };
}
