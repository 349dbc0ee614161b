import { Trans, useLingui } from "@lingui/react/macro";
import { Button, FileButton, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { readPicture } from "../base/picture.ts";
import classes from "./settings.module.css";

type Props = {
  label: string;
  /** A data URL, or empty. */
  value: string;
  error: string | undefined;
  onChange(value: string): void;
};

export const LOGO = "features.logo";

/** The server's bound: 16 KB, as base64 with its head. */
const MOST_CHARACTERS = 21_800;
/** The first that the server takes. */
const SIZES = [
  { pixels: 512 },
  { pixels: 256 },
  { pixels: 256, type: "image/webp" },
  { pixels: 192, type: "image/jpeg" },
  { pixels: 96, type: "image/jpeg" },
] as const;

/** A picture of any kind that the browser shows, made so small that the server takes it. */
export function LogoField({ label, value, error, onChange }: Props) {
  const { t } = useLingui();
  const [isRefused, setIsRefused] = useState(false);
  async function take(file: File | null): Promise<void> {
    if (file === null) return;
    const drawn = await readPicture(file, SIZES);
    const picture = drawn?.find((url) => url.length <= MOST_CHARACTERS);
    setIsRefused(picture === undefined);
    if (picture !== undefined) onChange(picture);
  }
  const problem = isRefused
    ? t`This is no picture that the browser can show, or it has more than 5 MB.`
    : error;
  return (
    <Stack gap={6} role="group" aria-label={label}>
      <Group gap="xs">
        {value !== "" && <img src={value} alt={t`Logo`} className={classes["logo"]} />}
        <FileButton
          onChange={(file) => void take(file)}
          accept="image/png,image/jpeg,image/webp,image/svg+xml,image/gif"
        >
          {(props) => (
            <Button {...props} size="xs" variant="default">
              {value === "" ? <Trans>Choose a picture</Trans> : <Trans>Another picture</Trans>}
            </Button>
          )}
        </FileButton>
        {value !== "" && (
          <Button size="xs" variant="subtle" color="gray" onClick={() => onChange("")}>
            <Trans>Remove</Trans>
          </Button>
        )}
      </Group>
      {problem !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  );
}
