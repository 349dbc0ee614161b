import { Trans, useLingui } from "@lingui/react/macro";
import { Skeleton, Stack, Text } from "@mantine/core";
import { IconCalendar, IconUsers } from "@tabler/icons-react";
import { type ReactNode, Suspense, useState } from "react";
import type { Link } from "../../base/api.ts";
import { formatNumber, formatTime } from "../../base/i18n.ts";
import { lazyOrFailure } from "../../base/lazy.ts";
import type { OnLinkSaved } from "../link-queries.ts";
import { shortAddress } from "../form/condition-texts.ts";
import { Decides } from "../rules/decides.tsx";
import sentences from "../rules/rules.module.css";
import { isAddress, TargetUse } from "../../ui/lists/target-use.tsx";
import { LinkSettingRow } from "./setting-row.tsx";

const RulesPart = lazyOrFailure(async () => (await import("../rules/rules-part.tsx")).RulesPart);

type Props = { link: Link; onSaved: OnLinkSaved };

/** Limits that are said as sentences once they are set. */
export const SPOKEN = ["starts_at", "expires_at", "max_clicks"] as const;

/** In a sentence an address that holds a tag would be one. */
const TargetAddress = ({ target }: { target: string }) => (
  <a href={target} target="_blank" rel="noreferrer noopener" className={sentences["goal"]}>
    {shortAddress(target)}
  </a>
);

/** Where a link leads, as sentences that can be read aloud and edited in place. */
export function LeadsTo({ link, onSaved }: Props) {
  const { t } = useLingui();
  const [isTargetLit, setIsTargetLit] = useState(false);
  const { target, starts_at: starts, expires_at: expires, max_clicks: most, fallback_url: fallback } = link;
  const after = fallback === null ? <Trans>a page that says it is over</Trans> : shortAddress(fallback);
  if (!isAddress(target)) {
    return (
      <Text size="sm">
        <TargetUse target={target} />
      </Text>
    );
  }
  const limit = (name: (typeof SPOKEN)[number], icon: ReactNode, when: ReactNode, goal: ReactNode) => (
    <LinkSettingRow name={name} link={link} onSaved={onSaved}>
      <span className={sentences["chip"]}>
        {icon}
        {when}
      </span>
      <span className={sentences["goal"]}>
        <span aria-hidden>→ </span>
        {goal}
      </span>
    </LinkSettingRow>
  );
  return (
    <Stack gap={0} component="section" aria-label={t`Where it leads`}>
      <LinkSettingRow name="target" link={link} onSaved={onSaved}>
        <span>
          {link.rules?.length ? (
            <Trans>
              Leads to <TargetAddress target={target} /> unless a rule matches
            </Trans>
          ) : (
            <Trans>
              Leads to <TargetAddress target={target} />
            </Trans>
          )}
        </span>
        {isTargetLit && <Decides />}
      </LinkSettingRow>
      {starts !== null &&
        limit(
          "starts_at",
          <IconCalendar size={16} aria-hidden />,
          <Trans>before {formatTime(starts)}</Trans>,
          fallback === null ? <Trans>nowhere yet</Trans> : after,
        )}
      {expires !== null &&
        limit(
          "expires_at",
          <IconCalendar size={16} aria-hidden />,
          <Trans>after {formatTime(expires)}</Trans>,
          after,
        )}
      {most !== null &&
        limit(
          "max_clicks",
          <IconUsers size={16} aria-hidden />,
          <Trans>after {formatNumber(most)} visitors</Trans>,
          after,
        )}
      <Suspense fallback={<Skeleton height={40} />}>
        <RulesPart
          key={`${link.domain}/${link.code}`}
          link={link}
          onSaved={onSaved}
          onTargetLit={setIsTargetLit}
        />
      </Suspense>
    </Stack>
  );
}
