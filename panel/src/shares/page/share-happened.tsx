import { Plural, Trans } from "@lingui/react/macro";
import { Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Share } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";
import { ShareRecipients } from "./share-recipients.tsx";
import { ShareTimeline } from "./share-timeline.tsx";

/** What happened with a share or drop box: figures, people, and a timeline. */
export function ShareHappened({ share }: { share: Share }) {
  const { downloads, max_downloads: most, drop, kind } = share;
  const left = most === null ? null : Math.max(0, most - downloads);
  const bots = share.click_count - share.human_clicks;
  return (
    <Stack gap="lg" component="section">
      <Group gap="xl">
        <Figure value={share.human_clicks}>
          <Plural value={share.human_clicks} one="visit" other="visits" />
        </Figure>
        {kind === "drop" ? (
          <Figure value={drop?.files ?? 0}>
            <Plural value={drop?.files ?? 0} one="file came in" other="files came in" />
          </Figure>
        ) : (
          <Figure value={downloads}>
            <Plural value={downloads} one="download" other="downloads" />
          </Figure>
        )}
        {left !== null && (
          <Figure value={left}>
            <Plural value={left} one="download left" other="downloads left" />
          </Figure>
        )}
      </Group>
      {bots > 0 && (
        <Text size="sm" c="dimmed" mt="calc(-1 * var(--mantine-spacing-sm))">
          <Plural
            value={bots}
            one="# visit by a bot is not counted."
            other="# visits by bots are not counted."
          />{" "}
          {downloads > 0 && <Trans>Downloads include those by bots.</Trans>}
        </Text>
      )}
      {share.recipients.length > 0 && <ShareRecipients share={share} />}
      <ShareTimeline share={share} />
    </Stack>
  );
}

const Figure = ({ value, children }: { value: number; children: ReactNode }) => (
  <div>
    <Text fz={28} fw={600} lh={1.1} style={{ fontVariantNumeric: "tabular-nums" }}>
      {formatNumber(value)}
    </Text>
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  </div>
);
