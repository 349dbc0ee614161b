import { Trans, useLingui } from "@lingui/react/macro";
import { Anchor, Button, Stack, Text } from "@mantine/core";
import { IconBookmark, IconDownload } from "@tabler/icons-react";
import { useInstallOffer } from "../base/install.ts";
import { INSTANCE_NAME, PANEL_PATH } from "../base/place.ts";
import { Dialog } from "../ui/dialogs/dialog.tsx";

/** Opens the panel with the address and title of the page that one looks at. */
const bookmarklet = (): string => {
  const address = JSON.stringify(`${location.origin}${PANEL_PATH}shared?url=`);
  return `javascript:void open(${address}+encodeURIComponent(location.href)+"&title="+encodeURIComponent(document.title))`;
};

type Props = { isOpen: boolean; mayLink: boolean; onClose(): void };

/** The panel as an app, and its bookmarklet. */
export function AppDialog({ isOpen, mayLink, onClose }: Props) {
  const { t } = useLingui();
  const offer = useInstallOffer();
  return (
    <Dialog title={t`On this device`} isOpen={isOpen} onClose={onClose}>
      <Stack gap="lg">
        <Stack gap="xs" align="start">
          <Text size="sm">
            <Trans>
              As an app, {INSTANCE_NAME} has an icon of its own. On a phone it is where one shares: a URL
              becomes a link, a file an upload.
            </Trans>
          </Text>
          {offer === null ? (
            <Text size="sm" c="dimmed">
              <Trans>Choose “Install” or “Add to Home Screen” in the menu of the browser.</Trans>
            </Text>
          ) : (
            <Button leftSection={<IconDownload size={16} aria-hidden />} onClick={() => void offer.prompt()}>
              <Trans>Install the app</Trans>
            </Button>
          )}
        </Stack>
        {mayLink && (
          <Stack gap="xs" align="start">
            <Text size="sm">
              <Trans>
                Drag this to the bookmarks of the browser. On any page, it opens the panel to shorten the
                page’s address.
              </Trans>
            </Text>
            <Anchor
              // React refuses such an address as an attribute.
              ref={(anchor: HTMLAnchorElement | null) => anchor?.setAttribute("href", bookmarklet())}
              fw={600}
              display="inline-flex"
              style={{ alignItems: "center", gap: 6 }}
              onClick={(event) => event.preventDefault()}
            >
              <IconBookmark size={16} aria-hidden />
              <Trans>Shorten with {INSTANCE_NAME}</Trans>
            </Anchor>
          </Stack>
        )}
      </Stack>
    </Dialog>
  );
}
