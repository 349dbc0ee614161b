import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconArrowsExchange, IconDots, IconExternalLink } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Link } from "../base/api.ts";
import { lazyPart } from "../base/lazy.ts";
import { shownKeys } from "../ui/keys/keys.tsx";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import type { ShareSubject } from "./form/share-values.ts";

const ShareDialog = lazyPart(async () => (await import("./share-dialog.tsx")).ShareDialog);

type Props = {
  /** Undefined: still loading. */
  link: Link | undefined;
  /** Codes of the default domain change between URL, share and drop box. */
  mayChange: boolean;
};

/** Rare actions on a link. */
export function LinkMore({ link, mayChange }: Props) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** Null once the dialog is closed, undefined before it was opened. */
  const [subject, setSubject] = useState<ShareSubject | null>();
  async function begin(): Promise<void> {
    if (link === undefined) return;
    if (!link.target.startsWith("waymark:")) setSubject({ form: "link", link });
    else {
      const { shareQuery } = await import("./share-queries.ts");
      setSubject({ form: "edit", share: await queries.fetchQuery(shareQuery(link.code)) });
    }
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t`More`} disabled={link === undefined}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            {...shownKeys("visit")}
            component="a"
            href={link?.short_url}
            target="_blank"
            rel="noreferrer noopener"
            leftSection={<IconExternalLink size={16} />}
          >
            <Trans>Open the link</Trans>
          </Menu.Item>
          {mayChange && (
            <Menu.Item
              leftSection={<IconArrowsExchange size={16} />}
              onClick={() =>
                void begin().catch(() =>
                  navigate({ to: "/shares", search: link === undefined ? {} : { q: link.code, all: true } }),
                )
              }
            >
              <Trans>Change what it leads to</Trans>
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {subject !== undefined && (
        <LazyDialog isOpen={subject !== null} onClose={() => setSubject(null)}>
          <ShareDialog
            subject={subject}
            onClose={() => setSubject(null)}
            onSaved={({ code, use }) => {
              if (use !== "url" && subject?.form === "link")
                void navigate({ to: "/shares", search: { q: code } });
            }}
          />
        </LazyDialog>
      )}
    </>
  );
}
