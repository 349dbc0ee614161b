import { Plural, Trans } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatList } from "../../base/i18n.ts";
import { sharePolicyQuery } from "../share-queries.ts";

/** What the server would refuse otherwise. */
export function ShareLimits({ isDrop }: { isDrop: boolean }) {
  const { data: policy } = useQuery(sharePolicyQuery);
  if (policy === undefined) return null;
  const { max_days: days, password, max_downloads: downloads, verify, recipient_domains: domains } = policy;
  const isVerified = verify && !isDrop;
  const hasDomains = domains.length > 0 && !isDrop;
  const hasMost = downloads !== null && !isDrop;
  if (days === null && !password && !hasMost && !isVerified && !hasDomains) return null;
  const names = formatList(domains);
  return (
    <Text size="xs" c="dimmed" component="div">
      {days !== null && (
        <div>
          <Plural value={days} one="Ends within a day." other="Ends within # days." />
        </div>
      )}
      {password && (
        <div>
          <Trans>Needs a password.</Trans>
        </div>
      )}
      {hasMost && (
        <div>
          <Plural value={downloads} one="One download at most." other="# downloads at most." />
        </div>
      )}
      {isVerified && (
        <div>
          <Trans>For recipients only</Trans>
        </div>
      )}
      {hasDomains && (
        <div>
          <Trans>Recipients</Trans>: {names}
        </div>
      )}
    </Text>
  );
}
