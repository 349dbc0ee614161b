import { Trans, useLingui } from "@lingui/react/macro";
import { Card, Skeleton, Text, VisuallyHidden } from "@mantine/core";
import { formatNumber } from "../base/i18n.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import classes from "./clicks.module.css";
import { LinkName } from "./lists/link-name.tsx";

const MOST = 8;

type TopLink = { code: string; domain: string | null; title: string | null; clicks: number };

/** The links with the most human clicks; bars compare them with the first. */
export function TopLinks({ links }: { links: readonly TopLink[] | undefined }) {
  const { t } = useLingui();
  const most = links?.[0]?.clicks ?? 1;
  return (
    <Card
      withBorder
      p="md"
      component="section"
      aria-label={t`Most clicked links`}
      className={classes["list"]!}
    >
      <Text component="h2" fw={600} size="sm" mb="xs">
        <Trans>Most clicked links</Trans>
      </Text>
      {links === undefined && <Skeleton height={32 * MOST} />}
      {links?.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>No clicks in this range.</Trans>
        </Text>
      )}
      <ul className={classes["shares"]}>
        {links?.slice(0, MOST).map(({ code, domain, title, clicks }) => (
          <li key={`${domain}/${code}`} className={classes["share"]}>
            <div className={classes["bar"]} style={{ width: `${(clicks / most) * 100}%` }} />
            <AnchorLink
              to="/link/$"
              params={{ _splat: code }}
              search={domain === null ? {} : { domain }}
              size="sm"
              c="inherit"
              className={`${classes["name"]} ${classes["choice"]}`}
              title={title ?? code}
              dir="auto"
            >
              <LinkName code={code} title={title} domain={domain} />
            </AnchorLink>
            <span className={classes["figures"]}>
              {formatNumber(clicks)}{" "}
              <VisuallyHidden>
                <Trans>human clicks</Trans>
              </VisuallyHidden>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
