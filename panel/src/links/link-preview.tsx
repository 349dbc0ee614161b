import { Trans, useLingui } from "@lingui/react/macro";
import { Stack, Text } from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";
import { renderSVG } from "uqr";
import { targetIn } from "../base/targets.ts";
import { useDefaultBase } from "./form/domains.ts";
import type { LinkValues } from "./form/link-values.ts";
import { withScheme } from "./form/with-scheme.ts";
import classes from "./link.module.css";

const RANDOM = "…";
/** Modules around the code, as scanners expect. */
const QUIET = 4;

/** The short URL, its QR code, and the card that messengers show, while a link is typed. */
export function LinkPreview({ values }: { values: LinkValues }) {
  const { t } = useLingui();
  const usual = useDefaultBase();
  const base = values.domain === "" ? usual : `${new URL(usual).protocol}//${values.domain}`;
  const code = values.code.trim();
  const target = targetIn(withScheme(values.target));
  const host = target === null ? null : new URL(target).host;
  const title = values.card_title || values.title || host || t`The title of the page`;
  return (
    <Stack gap="md" component="section" aria-label={t`Preview`} className={classes["preview"]!}>
      <Text fw={600} fz="lg" style={{ overflowWrap: "anywhere" }}>
        {base.replace(/^https?:\/\//, "")}/{code || <span className={classes["random"]}>{RANDOM}</span>}
      </Text>
      {code === "" ? (
        <Text size="sm" c="dimmed">
          <Trans>The QR code appears here once you enter a code.</Trans>
        </Text>
      ) : (
        <img
          width={160}
          height={160}
          src={`data:image/svg+xml,${encodeURIComponent(renderSVG(`${base}/${code}`, { border: QUIET }))}`}
          alt={t`QR code of ${code}`}
        />
      )}
      <div className={classes["card"]}>
        <IconPhoto size={32} stroke={1} aria-hidden data-set={values.card_image !== "" || undefined} />
        <div>
          <Text size="sm" fw={600} lineClamp={2} dir="auto">
            {title}
          </Text>
          <Text size="sm" c="dimmed" lineClamp={2} dir="auto">
            {values.card_description || <Trans>What messaging apps show for the link</Trans>}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {new URL(base).host}
          </Text>
        </div>
      </div>
    </Stack>
  );
}
