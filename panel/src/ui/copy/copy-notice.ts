import { t } from "@lingui/core/macro";
import { notifications } from "@mantine/notifications";
import { copyText } from "./copy.ts";

const NOTICE_MS = 2_000;

/** Copies an address where no button shows that it did. */
export async function copyAndTell(address: string): Promise<void> {
  const isCopied = await copyText(address);
  const message = isCopied ? t`${address} is copied.` : t`The browser refused to copy ${address}.`;
  notifications.show({ message, autoClose: NOTICE_MS });
}
