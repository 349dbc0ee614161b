import { Trans } from "@lingui/react/macro";
import { Group, Text } from "@mantine/core";
import { IconInbox, IconShare } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { Share } from "../../base/api.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { sharesOfQuery } from "./shared-queries.ts";

/** Names of shares and drop boxes, which lead to their pages, with for whom they are. */
export const ShareNames = ({ shares }: { shares: readonly Share[] }) => (
  <ul style={{ listStyle: "none", margin: 0, padding: 0 }}>
    {shares.map((share) => {
      const { code, kind, title, entry, recipients } = share;
      const Icon = kind === "drop" ? IconInbox : IconShare;
      const [first, ...others] = recipients;
      const more = others.length;
      return (
        <li key={code}>
          <Group gap="xs" wrap="nowrap" mih={32}>
            <Icon size={16} stroke={1.5} aria-hidden style={{ flex: "none" }} />
            <AnchorLink to="/share/$" params={{ _splat: code }} search={{}} size="sm" truncate>
              <bdi>{title ?? entry?.name ?? code}</bdi>
            </AnchorLink>
            <Text size="xs" c="dimmed" truncate>
              /{code}
              {first !== undefined && " · "}
              {first !== undefined &&
                (more > 0 ? (
                  <Trans>
                    {first} and {more} more
                  </Trans>
                ) : (
                  first
                ))}
            </Text>
          </Group>
        </li>
      );
    })}
  </ul>
);

/** Which shares serve an entry, by itself, in a folder around it, or through what is in it. */
export function EntryShares({ id }: { id: number }) {
  const { data } = useQuery(sharesOfQuery([id], true));
  if (data === undefined || data.length === 0) return null;
  return (
    <section>
      <Text size="sm" fw={600} mt="md">
        <Trans>Shared as</Trans>
      </Text>
      <ShareNames shares={data} />
    </section>
  );
}
