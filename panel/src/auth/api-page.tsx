import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack, useComputedColorScheme } from "@mantine/core";
import { IconExternalLink, IconKey } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { ADMIN_PREFIX, SERVER_URL } from "../base/place.ts";
import { PageHead } from "../ui/page-head.tsx";
import { SideForm } from "../ui/forms/side-form.tsx";
import classes from "./api-page.module.css";
import { Secret } from "./tokens/secret.tsx";
import { TokenFields } from "./tokens/token-fields.tsx";

const REFERENCE = `${SERVER_URL}${ADMIN_PREFIX}/v1/docs`;

/** The reference of the API. A token made here is the one that its trials use. */
export function ApiPage() {
  const { t } = useLingui();
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setIsReady] = useState(false);
  const [isMaking, setIsMaking] = useState(false);
  const [token, setToken] = useState<string | null>(null);
  const [isTokenShown, setIsTokenShown] = useState(false);
  const dark = useComputedColorScheme() === "dark";

  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent<{ waymark?: string } | null>) => {
      if (source === frame.current?.contentWindow && data?.waymark === "docs") setIsReady(true);
    };
    addEventListener("message", onMessage);
    return () => removeEventListener("message", onMessage);
  }, []);
  useEffect(() => {
    if (!isReady) return;
    frame.current?.contentWindow?.postMessage({ dark, ...(token !== null && { token }) }, location.origin);
  }, [isReady, dark, token]);

  return (
    <Stack p="md" gap="md" className={classes["page"]}>
      <PageHead
        title={t`API`}
        sentence={t`Everything you can do in this panel, programs can do with the API.`}
      >
        <Button
          component="a"
          href={REFERENCE}
          target="_blank"
          rel="noreferrer"
          variant="default"
          leftSection={<IconExternalLink size={16} />}
        >
          <Trans>Open in a new tab</Trans>
        </Button>
        <Button leftSection={<IconKey size={16} />} onClick={() => setIsMaking(true)}>
          <Trans>Create a token</Trans>
        </Button>
      </PageHead>
      {token !== null && isTokenShown && <Secret secret={token} onClose={() => setIsTokenShown(false)} />}
      <div className={classes["frame"]}>
        <iframe ref={frame} src={REFERENCE} title={t`Reference of the API`} data-ready={isReady} />
      </div>
      <SideForm title={t`New token`} isOpen={isMaking} onClose={() => setIsMaking(false)}>
        <TokenFields
          onClose={() => setIsMaking(false)}
          onMade={(made) => {
            setToken(made);
            setIsTokenShown(true);
          }}
        />
      </SideForm>
    </Stack>
  );
}
