import { useLingui } from "@lingui/react/macro";
import { formatNumber } from "../../base/i18n.ts";

const MOST_BYTES = 8192;
/** Bounds what a field has to show. Above the limit, so that no address is cut without the sentence below. */
export const MOST_TYPED = 9000;

const encoder = new TextEncoder();

/** What is wrong with the length of an address, or null. */
export function useTooLong(address: string): string | null {
  const { t } = useLingui();
  if (address.length <= MOST_BYTES && encoder.encode(address).length <= MOST_BYTES) return null;
  return t`A target has at most ${formatNumber(MOST_BYTES)} bytes. This one is longer.`;
}
