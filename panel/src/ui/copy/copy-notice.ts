import { t } from "@lingui/core/macro";
import { notifications } from "@mantine/notifications";
import { copyText } from "./copy.ts";

const NOTICE_MS = 2_000;

/** After a copy whose button shows that it worked: a screen reader says so, and a notice says that it failed. Neither has the text, which may be a secret. */
export function noteCopy(isCopied: boolean): void {
  if (!isCopied)
    return void notifications.show({ message: t`The browser refused to copy.`, autoClose: NOTICE_MS });
  const status = document.getElementById("copied");
  if (status === null) return;
  status.textContent = t`Copied`;
  setTimeout(() => (status.textContent = ""), NOTICE_MS);
}

/** Copies an address where no button shows that it did. */
export async function copyAndTell(address: string): Promise<void> {
  const isCopied = await copyText(address);
  const message = isCopied ? t`${address} is copied.` : t`The browser refused to copy ${address}.`;
  notifications.show({ message, autoClose: NOTICE_MS });
}
