import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import type { Link } from "../app/api.ts";
import { lazyPart } from "../app/lazy.ts";
import { shareQuery } from "./share-queries.ts";
import type { ShareSubject } from "./share-values.ts";

const ShareDialog = lazyPart(async () => (await import("./share-dialog.tsx")).ShareDialog);

/** Changes a code of the default domain between URL, share and drop box. Undefined: the link is still on its way. */
export function CodeUseButton({ link }: { link: Link | undefined }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** Null once the dialog is closed, undefined before it was opened. */
  const [subject, setSubject] = useState<ShareSubject | null>();
  async function begin(): Promise<void> {
    if (link === undefined) return;
    if (!link.target.startsWith("waymark:")) setSubject({ form: "link", link });
    else setSubject({ form: "edit", share: await queries.fetchQuery(shareQuery(link.code)) });
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconArrowsExchange size={16} />}
        onClick={() =>
          void begin().catch(() =>
            navigate({ to: "/shares", search: link === undefined ? {} : { q: link.code, all: true } }),
          )
        }
        disabled={link === undefined}
      >
        <Trans>Change what it leads to</Trans>
      </Button>
      {subject !== undefined && (
        <Suspense fallback={null}>
          <ShareDialog
            subject={subject}
            onClose={() => setSubject(null)}
            onSaved={({ code, use }) => {
              if (use !== "url" && subject?.form === "link")
                void navigate({ to: "/shares", search: { q: code } });
            }}
          />
        </Suspense>
      )}
    </>
  );
}
